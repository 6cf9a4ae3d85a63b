package dev.reprise.softgpu.engine.exec;

/** Computes an int register. */
public final class IntOp extends Op {
  /**
   * Computes all 32 lanes; lanes that are not active may get anything. {@code d} may be a source
   * too.
   */
  @FunctionalInterface
  public interface Eval {
    void eval(Warp w, int[] d);
  }

  private final int destination;
  private final Eval eval;

  public IntOp(int destination, Eval eval) {
    this.destination = destination;
    this.eval = eval;
  }

  @Override
  public void run(Warp w, int m) {
    int[] d = w.i[destination];
    // Lanes that have exited, or never were, do not matter.
    if (m == w.live) {
      eval.eval(w, d);
      return;
    }
    int[] s = w.intScratch;
    eval.eval(w, s);
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      d[k] = s[k];
    }
  }
}
