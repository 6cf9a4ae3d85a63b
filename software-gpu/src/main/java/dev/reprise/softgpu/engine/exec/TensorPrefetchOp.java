package dev.reprise.softgpu.engine.exec;

/**
 * {@code cp.async.bulk.prefetch.tensor}: checks what it is asked for; there is no cache to fill.
 */
public final class TensorPrefetchOp extends Op {
  private final TensorOperand from;

  public TensorPrefetchOp(TensorOperand from) {
    this.from = from;
  }

  @Override
  public void run(Warp w, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int unused = from.box(w, lane, from.map(w, lane, this), this, false).size();
    }
  }
}
