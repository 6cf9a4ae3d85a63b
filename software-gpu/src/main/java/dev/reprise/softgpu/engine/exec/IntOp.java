package dev.reprise.softgpu.engine.exec;

import java.util.Set;

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

  /** A computation that says what it computes. */
  private record Described(Eval eval, LaneFunction function) implements Eval {
    @Override
    public void eval(Warp w, int[] d) {
      eval.eval(w, d);
    }
  }

  /** The computation together with what it computes in each lane. */
  public static Eval describe(Eval eval, String name, LaneFunction.Argument... arguments) {
    return new Described(eval, LaneFunction.of(name, arguments));
  }

  private final int destination;
  private final Eval eval;

  public IntOp(int destination, Eval eval) {
    this.destination = destination;
    if (eval instanceof Described d) {
      this.eval = d.eval;
      describe(RegisterKind.INT, destination, d.function);
    } else {
      this.eval = eval;
    }
  }

  @Override
  Set<Register> destinations() {
    return unlessRead(new Register(RegisterKind.INT, destination));
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
