package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.BlockWatch.Access;
import dev.reprise.softgpu.engine.exec.Op;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The accesses of one launch to global memory, compared with each other. A plain store races with
 * an access of the same word by another block, or by another warp of the block without a barrier
 * between, unless atomic or other strong accesses order them: such an access passes on what its
 * block has done before its last fence, or all of it where it releases, and takes over what those
 * before it at its address passed on. Whether a fence stands behind it is not looked at, nor which
 * thread of the block made one. Of each word the last store is remembered and the last loads of two
 * warps, so that a store that races with the load of a third one only may go unseen.
 */
final class GlobalWatch {

  /** Clocks are kept for grids up to this; beyond, a launch that synchronises is not compared. */
  private static final int MOST_CLOCKS = 1024;

  private final KernelReports reports;
  private final Map<Long, int[]> released = new HashMap<>();
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
        b.fence();
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

    /** What it did up to this time came before its last fence. */
    private int fenced;

    /** How far it knows others to have come; its own component is what it passed on last. */
    private int[] clock = {};

    private OfBlock(ThreadNames names, int number) {
      this.names = names;
      this.number = number;
    }

    void barrier() {
      epoch++;
    }

    void fence() {
      fenced = time++;
    }

    /** A warp begins to execute an instruction; its pages are {@link #note noted} then. */
    KernelAccess begin(
        int warp, Op op, Access access, boolean strong, int bytes, int lanes, long[] addresses) {
      boolean orders = strong || access == Access.ATOMIC;
      if (orders) {
        synchronises = true;
        acquire(lanes, addresses);
      }
      return new KernelAccess(op, access, orders, this, warp, epoch, time, bytes, lanes, addresses);
    }

    /** Bytes of a page that it accesses. */
    void note(KernelAccess now, TouchedPage page, int from, int until) {
      if (now.access() == Access.READ) {
        page.read(now, from, until, GlobalWatch.this);
      } else {
        page.write(now, from, until, GlobalWatch.this);
      }
    }

    /** It has executed the instruction. */
    void end(KernelAccess now) {
      if (now.strong()) {
        if (releases(now.op().text())) {
          fence();
        }
        release(now.lanes(), now.addresses());
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

    /** How far it has come, as it passes it on. */
    private int[] tick() {
      int[] own = Arrays.copyOf(clock, Math.max(clock.length, number + 1));
      own[number] = fenced;
      clock = own;
      return own;
    }

    private static boolean releases(String text) {
      return text.contains(".release") || text.contains(".acq_rel");
    }

    private boolean knows(KernelAccess access) {
      int other = access.block().number;
      return other < clock.length && clock[other] >= access.time();
    }
  }

  private static int[] join(int[] a, int[] b) {
    int[] joined = Arrays.copyOf(a, Math.max(a.length, b.length));
    for (int i = 0; i < b.length; i++) {
      joined[i] = Math.max(joined[i], b[i]);
    }
    return joined;
  }

  /** Reports two accesses of a word, one of which writes, that nothing orders. */
  void compare(KernelAccess before, KernelAccess now, long address) {
    if (before == now || (before.strong() && now.strong())) {
      return;
    }
    boolean ordered =
        before.block() == now.block()
            ? before.warp() == now.warp() || before.epoch() != now.block().epoch
            : synchronises && (blocks > MOST_CLOCKS || now.block().knows(before));
    if (!ordered) {
      reports.globalRace(now, before, address);
    }
  }

  /** Index of the block that made an access. */
  static String block(KernelAccess access) {
    return access.block().names.block();
  }

  /** Index of the thread that accessed a word, in its block. */
  static String thread(KernelAccess access, long address) {
    return access.block().names.of(access.warp(), access.lane(address));
  }
}
