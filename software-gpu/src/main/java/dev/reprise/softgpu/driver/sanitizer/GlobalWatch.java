package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.BlockWatch.Access;
import dev.reprise.softgpu.engine.exec.Op;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of one launch to global memory, compared with each other. A plain store races with
 * an access of the same word by another block, or by another warp of the block without a barrier
 * between, unless atomic or other strong accesses order them: such an access passes on all that its
 * block has done, and takes over what those before it at its address passed on. Whether fences
 * stand where they must is not looked at. Loads are remembered where the launch has stored to the
 * same page before, and else by block only, so that an asymmetric race of two warps may go unseen
 * when the load ran first.
 */
final class GlobalWatch {

  private static final int LANES = 32;
  private static final int PAGE_BITS = 12;
  private static final int WORDS = 1 << PAGE_BITS - 2;

  /** Clocks are kept for grids up to this; beyond, a launch that synchronises is not compared. */
  private static final int MOST_CLOCKS = 1024;

  /** One execution of an instruction by a warp. */
  private record Moment(
      Op op, Access access, boolean strong, OfBlock block, int warp, int epoch, int time) {}

  private static final class Page {
    private final @Nullable Moment[] writes = new Moment[WORDS];
    private final byte[] writers = new byte[WORDS];

    /** Which bytes of the word were written. */
    private final byte[] masks = new byte[WORDS];

    private final @Nullable Moment[] reads = new Moment[WORDS];
    private final byte[] readers = new byte[WORDS];
  }

  private final KernelReports reports;
  private final Map<Long, @Nullable Page> pages = new HashMap<>();
  private final Map<Long, int[]> released = new HashMap<>();
  private long lastNumber = -1;
  private @Nullable Page last;
  private int blocks;
  private boolean synchronises;

  GlobalWatch(KernelReports reports) {
    this.reports = reports;
  }

  /** What sees a block that begins. */
  OfBlock block(ThreadNames names) {
    return new OfBlock(names, blocks++);
  }

  /** Blocks have waited for each other: each knows now what all have done. */
  void meet(List<OfBlock> all) {
    synchronises = true;
    int[] joined = {};
    for (OfBlock b : all) {
      b.epoch++;
      if (b.number < MOST_CLOCKS) {
        joined = join(joined, b.tick());
      }
    }
    for (OfBlock b : all) {
      b.clock = join(b.clock, joined);
    }
  }

  /** The accesses of one block. */
  final class OfBlock {
    private final ThreadNames names;
    private final int number;
    private int epoch;
    private int time = 1;

    /** How far it knows others to have come; its own component is {@link #time}. */
    private int[] clock = {};

    private OfBlock(ThreadNames names, int number) {
      this.names = names;
      this.number = number;
    }

    void barrier() {
      epoch++;
    }

    void access(
        int warp, Op op, Access access, boolean strong, int bytes, int lanes, long[] addresses) {
      boolean orders = strong || access == Access.ATOMIC;
      if (orders) {
        synchronises = true;
        acquire(lanes, addresses);
      }
      Moment now = new Moment(op, access, orders, this, warp, epoch, time);
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        long address = addresses[lane];
        int step = Math.min(bytes, Integer.BYTES);
        int mask = (1 << step) - 1 << (int) (address & 3);
        for (long at = address; at < address + bytes; at += step) {
          note(at, now, lane, mask);
        }
      }
      if (orders) {
        release(lanes, addresses);
        // Within the block as between blocks: what comes now is behind what came before.
        epoch++;
      }
    }

    private void acquire(int lanes, long[] addresses) {
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        int[] passed = released.get(addresses[Integer.numberOfTrailingZeros(rest)]);
        if (passed != null) {
          clock = join(clock, passed);
        }
      }
    }

    private void release(int lanes, long[] addresses) {
      if (number >= MOST_CLOCKS) {
        return;
      }
      int[] own = tick();
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        released.merge(addresses[Integer.numberOfTrailingZeros(rest)], own, GlobalWatch::join);
      }
    }

    /** Ends a step: what was done in it can be passed on. */
    private int[] tick() {
      int[] own = Arrays.copyOf(clock, Math.max(clock.length, number + 1));
      own[number] = time++;
      clock = own;
      return own;
    }

    private boolean knows(Moment moment) {
      int other = moment.block.number;
      return other < clock.length && clock[other] >= moment.time;
    }
  }

  private static int[] join(int[] a, int[] b) {
    int[] joined = Arrays.copyOf(a, Math.max(a.length, b.length));
    for (int i = 0; i < b.length; i++) {
      joined[i] = Math.max(joined[i], b[i]);
    }
    return joined;
  }

  private @Nullable Page page(long address, boolean make) {
    long number = address >>> PAGE_BITS;
    if (number != lastNumber || make && last == null) {
      last = make ? pages.computeIfAbsent(number, n -> new Page()) : pages.get(number);
      lastNumber = number;
    }
    return last;
  }

  private void note(long address, Moment now, int lane, int mask) {
    boolean writes = now.access != Access.READ;
    Page page = page(address, writes);
    if (page == null) {
      return;
    }
    int word = (int) (address & (1 << PAGE_BITS) - 1) >>> 2;
    Moment write = page.writes[word];
    if (write != null && (page.masks[word] & mask) != 0) {
      compare(write, page.writers[word], now, lane, address);
    }
    if (writes) {
      Moment read = page.reads[word];
      if (read != null) {
        compare(read, page.readers[word], now, lane, address);
      }
      boolean joins = write != null && write.block == now.block;
      page.masks[word] = (byte) (joins ? page.masks[word] | mask : mask);
      page.writes[word] = now;
      page.writers[word] = (byte) lane;
    } else if (mask == 0xF) {
      page.reads[word] = now;
      page.readers[word] = (byte) lane;
    }
  }

  private void compare(Moment before, int lane, Moment now, int nowLane, long address) {
    if (before == now || (before.strong && now.strong)) {
      return;
    }
    boolean ordered =
        before.block == now.block
            ? before.warp == now.warp || before.epoch != now.block.epoch
            : synchronises && (blocks > MOST_CLOCKS || now.block.knows(before));
    if (!ordered) {
      reports.globalRace(
          now.op,
          before.op,
          now.access,
          before.access,
          now.block.names.of(now.warp, nowLane),
          before.block.names.of(before.warp, lane),
          now.block.names.block(),
          before.block.names.block(),
          address);
    }
  }
}
