package dev.reprise.softgpu.engine.exec;

/** {@code cp.async.commit_group}, {@code wait_group} and {@code wait_all}. */
public final class AsyncGroupOp extends Op {
  /** What happens to the copies of a lane. */
  public enum Action {
    COMMIT,
    WAIT,
    WAIT_ALL
  }

  private final Action action;
  private final int latest;

  /**
   * @param latest groups that need not have arrived
   */
  public AsyncGroupOp(Action action, int latest) {
    this.action = action;
    this.latest = latest;
  }

  @Override
  public void run(Warp w, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      switch (action) {
        case COMMIT -> w.copies.commit(lane);
        case WAIT -> w.copies.await(lane, latest);
        case WAIT_ALL -> w.copies.awaitAll(lane);
      }
    }
  }
}
