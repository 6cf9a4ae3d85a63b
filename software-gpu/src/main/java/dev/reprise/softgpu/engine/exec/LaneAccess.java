package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.ptx.Space;

/**
 * The addresses of an operation that accesses memory in more than one way: those of the operand
 * plus what {@link Warp#extra} adds in each lane.
 */
final class LaneAccess extends MemoryOp {
  LaneAccess(MemoryAddress address, String verb) {
    super(address, verb);
  }

  @Override
  void addresses(Warp w, long[] a) {
    super.addresses(w, a);
    for (int k = 0; k < Warp.LANES; k++) {
      a[k] += w.extra[k];
    }
  }

  /** Native address of each active lane; faults are those of {@code op}. */
  long[] resolve(Warp w, int m, Op op) {
    line = op.line;
    text = op.text;
    resolveLanes(w, m);
    return w.address;
  }

  /** What tells that a write that a lane has begun is there; its address is as the lane has it. */
  Runnable telling(Warp w, int lane, long address, int size) {
    long at = space() == Space.GENERIC ? address - Windows.SHARED : address;
    BlockWatch watch = space() == Space.SHARED ? w.block.watch : blockOf(w, at, lane).watch;
    return watch == null
        ? () -> {}
        : () -> watch.arrived(w.index, lane, this, Cluster.offset(at), size, false);
  }

  /** As {@link #resolve}, at the operand's own addresses. */
  long[] resolvePlain(Warp w, int m, Op op) {
    java.util.Arrays.fill(w.extra, 0);
    return resolve(w, m, op);
  }

  @Override
  public void run(Warp w, int m) {
    throw new IllegalStateException("part of another operation");
  }
}
