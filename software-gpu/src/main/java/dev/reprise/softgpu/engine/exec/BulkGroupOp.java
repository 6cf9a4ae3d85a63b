package dev.reprise.softgpu.engine.exec;

/** {@code cp.async.bulk.commit_group} and {@code wait_group}. */
public final class BulkGroupOp extends Op {
  /** What happens to the copies of a lane. */
  public enum Action {
    COMMIT,
    WAIT,
    /** Only for the sources to be read. */
    WAIT_READ
  }

  private final Action action;
  private final int latest;

  /**
   * @param latest groups that need not be waited for
   */
  public BulkGroupOp(Action action, int latest) {
    this.action = action;
    this.latest = latest;
  }

  @Override
  public void run(Warp w, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      switch (action) {
        case COMMIT -> w.bulkGroups().commit(lane);
        case WAIT -> w.bulkGroups().await(lane, latest);
        case WAIT_READ -> w.bulkGroups().awaitRead(lane, latest);
      }
    }
  }
}
