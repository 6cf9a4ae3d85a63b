package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.sanitizer.WarpClocks.Part;
import dev.reprise.softgpu.engine.exec.BlockWatch.Access;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of one block know of what others have done, by the causality order of the PTX
 * memory model: a strong store behind a fence of its thread, or one that releases, passes on what
 * that thread has done and what it knows; who sees it by a strong load or update knows that behind
 * a fence of its own, or at once where it acquires. Threads that meet at a barrier know the same,
 * and have the same fences in front of them and accesses behind which a fence may still come.
 *
 * <p>Two things count for more than they do there. Lanes that make a fence together make it for
 * each other. A barrier behind an atomic update counts as a fence: the kernels of NVIDIA's samples
 * in which the last block that counts sums up have no other one.
 */
final class BlockClocks {

  /** The time of a launch: fences, barriers and releases are ticks. */
  static final class Time {
    private long now;

    long now() {
      return now;
    }

    /** The present time, which ends with this. */
    private long tick() {
      return now++;
    }
  }

  private final int number;
  private final Time time;

  /** What threads have passed on to all. */
  private final Released released;

  /** What they have passed on by fences and accesses that are for their block. */
  private final Released here = new Released();

  /** The same by shared memory of the block, perhaps by threads of its cluster. */
  private final Released shared = new Released();

  /** When the block, and when each warp, has met last. */
  private long barrier = -1;

  private long[] met = {};

  private final List<@Nullable WarpClocks> warps = new ArrayList<>();

  /** What is the same for all threads. */
  private @Nullable ThreadClock known;

  private @Nullable ThreadClock fenced;

  /** What was loaded before the last barrier, with no fence behind it yet. */
  private @Nullable ThreadClock loaded;

  private boolean fencedSince;

  BlockClocks(int number, Time time, Released released) {
    this.number = number;
    this.time = time;
    this.released = released;
  }

  int number() {
    return number;
  }

  /** True when all threads come behind what one of them has done at a time. */
  boolean met(long at) {
    return at <= barrier;
  }

  /** The time up to which the lanes of a warp come behind what each of them has done. */
  private long met(int warp) {
    return warp < met.length ? met[warp] : -1;
  }

  private @Nullable WarpClocks warp(int warp) {
    return warp < warps.size() ? warps.get(warp) : null;
  }

  private WarpClocks made(int warp) {
    while (warps.size() <= warp) {
      warps.add(null);
    }
    WarpClocks clocks = warps.get(warp);
    if (clocks == null) {
      clocks = new WarpClocks();
      warps.set(warp, clocks);
    }
    return clocks;
  }

  /** All threads of the block have met, or so many that all may have. */
  void barrier() {
    barrier = time.tick();
    loaded = fencedSince ? null : loaded;
    fencedSince = false;
    for (WarpClocks warp : warps) {
      if (warp != null) {
        known = ThreadClock.join(known, warp.all(Part.KNOWN, -1));
        known = ThreadClock.join(known, warp.all(Part.UPDATED, -1));
        fenced = ThreadClock.join(fenced, warp.all(Part.FENCED, -1));
        loaded = ThreadClock.join(loaded, warp.all(Part.LOADED, -1));
        loaded = ThreadClock.join(loaded, warp.all(Part.SEEN_HERE, -1));
        warp.clear();
      }
    }
  }

  /** Blocks have waited for each other. */
  static void meet(List<BlockClocks> all) {
    ThreadClock joined = null;
    for (BlockClocks b : all) {
      b.barrier();
      joined = ThreadClock.join(joined, b.known);
      joined = ThreadClock.join(joined, ThreadClock.of(b.number, BlockTimes.of(b.barrier)));
    }
    for (BlockClocks b : all) {
      b.known = joined;
    }
  }

  /** Lanes of a warp have met. */
  void warpMet(int warp) {
    if (met.length <= warp) {
      long[] more = new long[warp + 1];
      Arrays.fill(more, -1);
      System.arraycopy(met, 0, more, 0, met.length);
      met = more;
    }
    met[warp] = time.tick();
    WarpClocks clocks = warp(warp);
    if (clocks != null) {
      clocks.meet();
    }
  }

  /** Lanes of a warp make a fence. */
  void fence(int warp, int lanes, MemoryOrder order) {
    WarpClocks clocks = made(warp);
    if (order.acquires()) {
      ThreadClock all = clocks.all(Part.KNOWN, lanes);
      all = ThreadClock.join(all, clocks.all(Part.SEEN_HERE, lanes));
      clocks.set(Part.SEEN_HERE, lanes, null);
      if (order.wide()) {
        all = ThreadClock.join(all, clocks.all(Part.LOADED, lanes));
        all = ThreadClock.join(all, clocks.all(Part.UPDATED, lanes));
        all = ThreadClock.join(all, loaded);
        fencedSince = true;
        clocks.set(Part.LOADED, lanes, null);
        clocks.set(Part.UPDATED, lanes, null);
      }
      clocks.set(Part.KNOWN, lanes, all);
    }
    if (order.releases()) {
      ThreadClock passed = come(clocks, warp, lanes);
      clocks.set(Part.FENCED_HERE, lanes, passed);
      if (order.wide()) {
        clocks.set(Part.FENCED, lanes, passed);
      }
    }
  }

  /** What lanes of a warp have done and know by now. */
  private @Nullable ThreadClock come(WarpClocks clocks, int warp, int lanes) {
    BlockTimes own = BlockTimes.join(BlockTimes.of(barrier), BlockTimes.of(warp, -1, met(warp)));
    own = BlockTimes.join(own, BlockTimes.of(warp, lanes, time.tick()));
    ThreadClock all = ThreadClock.join(known, clocks.all(Part.KNOWN, lanes));
    return own == null ? all : ThreadClock.join(all, ThreadClock.of(number, own));
  }

  /** Lanes of a warp begin a strong access to global memory: they see what was released there. */
  void acquire(int warp, MemoryOrder order, boolean update, int lanes, long[] addresses) {
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long address = addresses[lane];
      see(warp, lane, order, Part.SEEN_HERE, here.get(address));
      if (order.wide()) {
        see(warp, lane, order, update ? Part.UPDATED : Part.LOADED, released.get(address));
      }
    }
  }

  private void see(
      int warp, int lane, MemoryOrder order, Part later, @Nullable ThreadClock passed) {
    if (passed != null) {
      made(warp).add(order.acquires() ? Part.KNOWN : later, lane, passed);
    }
  }

  /**
   * The time of a strong access for plain ones that follow it: who knows what it passes on has seen
   * it, too.
   */
  long timeOf(int warp, MemoryOrder order, int lanes) {
    long least = time.now;
    if (!order.releases()) {
      WarpClocks clocks = warp(warp);
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        least = passed(least, fenced, warp, lane);
        if (clocks != null) {
          least = passed(least, clocks.get(Part.FENCED_HERE, lane), warp, lane);
        }
      }
    }
    return least;
  }

  private long passed(long least, @Nullable ThreadClock clock, int warp, int lane) {
    long own = clock == null ? -1 : clock.of(number, warp, lane);
    return own < 0 ? least : Math.min(least, own);
  }

  /** They have executed it. */
  void release(int warp, MemoryOrder order, int lanes, long[] addresses) {
    if (order.releases()) {
      ThreadClock passed = come(made(warp), warp, lanes);
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        release(addresses[Integer.numberOfTrailingZeros(rest)], order, passed, passed);
      }
      return;
    }
    WarpClocks clocks = warp(warp);
    if (clocks == null && fenced == null) {
      return;
    }
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      ThreadClock all = fenced;
      ThreadClock own = fenced;
      if (clocks != null) {
        all = ThreadClock.join(fenced, clocks.get(Part.FENCED, lane));
        own = ThreadClock.join(fenced, clocks.get(Part.FENCED_HERE, lane));
      }
      release(addresses[lane], order, all, own);
    }
  }

  private void release(
      long address, MemoryOrder order, @Nullable ThreadClock all, @Nullable ThreadClock own) {
    here.add(address, own);
    if (order.wide()) {
      released.add(address, all);
    }
  }

  /** Lanes of a warp make a strong access to shared memory of a block of the cluster. */
  void shared(
      BlockClocks of, int warp, MemoryOrder order, Access access, int lanes, long[] addresses) {
    if (access != Access.WRITE) {
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        see(warp, lane, order, Part.SEEN_HERE, of.shared.get(addresses[lane]));
      }
    }
    WarpClocks clocks = order.releases() ? made(warp) : warp(warp);
    if (!access.writes() || clocks == null && fenced == null) {
      return;
    }
    ThreadClock passed = clocks != null && order.releases() ? come(clocks, warp, lanes) : null;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      ThreadClock own =
          passed != null || clocks == null ? passed : clocks.get(Part.FENCED_HERE, lane);
      of.shared.add(addresses[lane], ThreadClock.join(fenced, own));
    }
  }

  /** True when a thread comes behind what another one has done at a time. */
  boolean knows(int warp, int lane, KernelAccess other, int otherLane) {
    if (other.block() == number
        && other.warp() == warp
        && (lane == otherLane || other.time() <= met(warp))) {
      return true;
    }
    WarpClocks clocks = warp(warp);
    return knows(known, other, otherLane)
        || clocks != null && knows(clocks.get(Part.KNOWN, lane), other, otherLane);
  }

  /** True when it would if it had made a fence. */
  boolean hasSeen(int warp, int lane, KernelAccess other, int otherLane) {
    WarpClocks clocks = warp(warp);
    return knows(loaded, other, otherLane)
        || clocks != null
            && (knows(clocks.get(Part.LOADED, lane), other, otherLane)
                || knows(clocks.get(Part.UPDATED, lane), other, otherLane)
                || knows(clocks.get(Part.SEEN_HERE, lane), other, otherLane));
  }

  private static boolean knows(@Nullable ThreadClock clock, KernelAccess other, int lane) {
    return ThreadClock.knows(clock, other.block(), other.warp(), lane, other.time());
  }

  /** True when something that was released here or to all may have been forgotten. */
  boolean incomplete() {
    return released.full() || here.full();
  }
}
