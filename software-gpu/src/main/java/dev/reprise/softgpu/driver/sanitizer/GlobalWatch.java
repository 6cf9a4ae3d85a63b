package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.BlockWatch.Access;
import dev.reprise.softgpu.engine.exec.Op;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The accesses of one launch to global memory, compared with each other. A plain store races with
 * an access of the same word by another block, or by another warp of the block, unless a barrier
 * comes between them or {@link BlockClocks fences and strong accesses} put one thread behind the
 * other. Of each word the last store is remembered and the last loads of two warps, so that a store
 * that races with the load of a third one only may go unseen.
 */
final class GlobalWatch {

  private final KernelReports reports;
  private final BlockClocks.Time time = new BlockClocks.Time();
  private final Released released = new Released();
  private final Map<Op, MemoryOrder> orders = new IdentityHashMap<>();
  private int blocks;

  GlobalWatch(KernelReports reports) {
    this.reports = reports;
  }

  /** What sees a block that begins. */
  OfBlock block(ThreadNames names) {
    return new OfBlock(names, new BlockClocks(blocks++, time, released));
  }

  /** Blocks have waited for each other: each knows now what all have done. */
  void meet(List<OfBlock> all) {
    BlockClocks.meet(all.stream().map(b -> b.clocks).toList());
  }

  private MemoryOrder order(Op op) {
    return orders.computeIfAbsent(op, MemoryOrder::ofAccess);
  }

  /** The accesses of one block. */
  final class OfBlock {
    private final ThreadNames names;
    private final BlockClocks clocks;

    private OfBlock(ThreadNames names, BlockClocks clocks) {
      this.names = names;
      this.clocks = clocks;
    }

    void barrier() {
      clocks.barrier();
    }

    void warpMet(int warp) {
      clocks.warpMet(warp);
    }

    void fence(int warp, int lanes, Op op) {
      clocks.fence(warp, lanes, orders.computeIfAbsent(op, MemoryOrder::ofFence));
    }

    /** Lanes of a warp make a strong access to shared memory of a block of the cluster. */
    void shared(OfBlock of, int warp, Op op, Access access, int lanes, long[] addresses) {
      clocks.shared(of.clocks, warp, order(op), access, lanes, addresses);
    }

    /** A warp begins to execute an instruction; its pages are {@link #note noted} then. */
    KernelAccess begin(
        int warp, Op op, Access access, boolean strong, int bytes, int lanes, long[] addresses) {
      boolean orders = strong || access == Access.ATOMIC;
      long at = time.now();
      if (strong) {
        MemoryOrder order = order(op);
        if (access != Access.WRITE) {
          clocks.acquire(warp, order, access == Access.ATOMIC, lanes, addresses);
        }
        if (access.writes()) {
          at = clocks.timeOf(warp, order, lanes);
        }
      }
      return new KernelAccess(
          op, access, orders, names, clocks.number(), warp, at, bytes, lanes, addresses);
    }

    /** Bytes of a page that it accesses. */
    void note(KernelAccess now, TouchedPage page, int from, int until) {
      if (now.access() == Access.READ) {
        page.read(now, from, until, this);
      } else {
        page.write(now, from, until, this);
      }
    }

    /** It has executed the instruction. */
    void end(KernelAccess now, boolean strong) {
      if (strong && now.access().writes()) {
        clocks.release(now.warp(), order(now.op()), now.lanes(), now.addresses());
      }
    }

    /** Reports two accesses of a word, one of which writes, that nothing orders. */
    void compare(KernelAccess before, KernelAccess now, long address) {
      if (before == now || (before.strong() && now.strong())) {
        return;
      }
      boolean sameBlock = before.block() == now.block();
      if (sameBlock && (before.warp() == now.warp() || clocks.met(before.time()))) {
        return;
      }
      boolean seen = true;
      boolean known = true;
      int others = before.lanesAt(address);
      for (int rest = now.lanesAt(address); known && rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        for (int other = others; other != 0; other &= other - 1) {
          int otherLane = Integer.numberOfTrailingZeros(other);
          if (!clocks.knows(now.warp(), lane, before, otherLane)) {
            known = false;
            seen &= clocks.hasSeen(now.warp(), lane, before, otherLane);
          }
        }
      }
      if (!known && !clocks.incomplete()) {
        reports.globalRace(now, before, address, seen);
      }
    }
  }
}
