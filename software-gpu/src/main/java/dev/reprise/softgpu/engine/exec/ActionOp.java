package dev.reprise.softgpu.engine.exec;

/** An operation that is not a function of registers into one register. */
public final class ActionOp extends Op {
  /** Does the work for the active lanes. */
  @FunctionalInterface
  public interface Action {
    void run(Warp w, int m);
  }

  private final Action action;

  public ActionOp(Action action) {
    this.action = action;
  }

  @Override
  public void run(Warp w, int m) {
    action.run(w, m);
  }
}
