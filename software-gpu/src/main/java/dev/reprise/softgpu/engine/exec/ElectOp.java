package dev.reprise.softgpu.engine.exec;

/** {@code elect.sync}: the lowest of the lanes is the leader. */
public final class ElectOp extends SyncOp {
  private final int to;
  private final int leader;

  /**
   * @param to int array for the leader's number
   * @param leader predicate that is true in the leader
   */
  public ElectOp(int to, int leader, int members) {
    super(members);
    this.to = to;
    this.leader = leader;
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int lane = Integer.numberOfTrailingZeros(set);
    int[] d = w.i[to];
    for (int rest = set; rest != 0; rest &= rest - 1) {
      d[Integer.numberOfTrailingZeros(rest)] = lane;
    }
    w.p[leader] = (w.p[leader] & ~set) | 1 << lane;
  }
}
