package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.IntLanes;

/** {@code redux.sync}: one integer from those of all lanes. */
public final class ReduceOp extends SyncOp {
  private final IntLanes.Binary op;
  private final int to;
  private final int from;

  public ReduceOp(IntLanes.Binary op, int to, int from, int members) {
    super(members);
    this.op = op;
    this.to = to;
    this.from = from;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int[] a = w.i[from];
    int first = Integer.numberOfTrailingZeros(set);
    int total = a[first];
    for (int rest = set & ~(1 << first); rest != 0; rest &= rest - 1) {
      total = op.apply(total, a[Integer.numberOfTrailingZeros(rest)]);
    }
    int[] d = w.i[to];
    for (int rest = set; rest != 0; rest &= rest - 1) {
      d[Integer.numberOfTrailingZeros(rest)] = total;
    }
  }
}
