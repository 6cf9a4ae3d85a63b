package dev.reprise.softgpu.engine.exec;

/** {@code vote.sync}. */
public final class VoteOp extends SyncOp {
  /** What is asked of the predicates of the lanes. */
  public enum Mode {
    ALL,
    ANY,
    UNI,
    BALLOT
  }

  private final Mode mode;
  private final int to;
  private final PredicateOp.Eval source;

  /**
   * @param to int array for a ballot, else a predicate
   */
  public VoteOp(Mode mode, int to, PredicateOp.Eval source, int members) {
    super(members);
    this.mode = mode;
    this.to = to;
    this.source = source;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int votes = source.eval(w) & set;
    if (mode == Mode.BALLOT) {
      int[] d = w.i[to];
      for (int rest = set; rest != 0; rest &= rest - 1) {
        d[Integer.numberOfTrailingZeros(rest)] = votes;
      }
      return;
    }
    boolean result =
        switch (mode) {
          case ALL -> votes == set;
          case ANY -> votes != 0;
          default -> votes == set || votes == 0;
        };
    w.p[to] = result ? w.p[to] | set : w.p[to] & ~set;
  }
}
