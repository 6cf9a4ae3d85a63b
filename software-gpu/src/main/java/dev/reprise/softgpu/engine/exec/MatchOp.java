package dev.reprise.softgpu.engine.exec;

/** {@code match.sync}: lanes with equal values find each other. */
public final class MatchOp extends SyncOp {
  private final boolean all;
  private final boolean wide;
  private final int to;
  private final int agree;
  private final int from;

  /**
   * @param all whether all lanes must agree, else each lane gets those equal to it
   * @param wide whether {@code from} is a long array
   * @param to int array for the mask
   * @param agree predicate that tells whether all lanes agreed, or -1
   */
  public MatchOp(boolean all, boolean wide, int to, int agree, int from, int members) {
    super(members);
    this.all = all;
    this.wide = wide;
    this.to = to;
    this.agree = agree;
    this.from = from;
  }

  private long value(Warp w, int lane) {
    return wide ? w.l[from][lane] : w.i[from][lane];
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int[] result = w.intScratch;
    boolean same = true;
    for (int rest = set; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int equal = 0;
      for (int others = set; others != 0; others &= others - 1) {
        int other = Integer.numberOfTrailingZeros(others);
        equal |= value(w, other) == value(w, lane) ? 1 << other : 0;
      }
      result[lane] = equal;
      same &= equal == set;
    }
    int[] d = w.i[to];
    for (int rest = set; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      d[lane] = !all ? result[lane] : same ? set : 0;
    }
    if (agree >= 0) {
      w.p[agree] = same ? w.p[agree] | set : w.p[agree] & ~set;
    }
  }
}
