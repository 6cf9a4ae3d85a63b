package dev.reprise.softgpu.engine.exec;

/** Computes a predicate register. */
public final class PredicateOp extends Op {
  /** Computes all 32 lanes as a mask; lanes that are not active may get anything. */
  @FunctionalInterface
  public interface Eval {
    int eval(Warp w);
  }

  private final int destination;
  private final Eval eval;

  public PredicateOp(int destination, Eval eval) {
    this.destination = destination;
    this.eval = eval;
  }

  @Override
  public void run(Warp w, int m) {
    w.p[destination] = (w.p[destination] & ~m) | (eval.eval(w) & m);
  }
}
