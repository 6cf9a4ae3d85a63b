package dev.reprise.softgpu.engine.exec;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Computes a predicate register. */
public final class PredicateOp extends Op {
  /** Computes all 32 lanes as a mask; lanes that are not active may get anything. */
  @FunctionalInterface
  public interface Eval {
    int eval(Warp w);
  }

  /** A computation that says what it computes. */
  private record Described(Eval eval, LaneFunction function) implements Eval {
    @Override
    public int eval(Warp w) {
      return eval.eval(w);
    }
  }

  /** The computation together with what it computes in each lane. */
  public static Eval describe(Eval eval, String name, LaneFunction.Argument... arguments) {
    return new Described(eval, LaneFunction.of(name, arguments));
  }

  /** What a described computation computes, or null. */
  public static @Nullable LaneFunction function(Eval eval) {
    return eval instanceof Described d ? d.function : null;
  }

  private final int destination;
  private final Eval eval;

  public PredicateOp(int destination, Eval eval) {
    this.destination = destination;
    if (eval instanceof Described d) {
      this.eval = d.eval;
      describe(RegisterKind.PREDICATE, destination, d.function);
    } else {
      this.eval = eval;
    }
  }

  @Override
  Set<Register> destinations() {
    return unlessRead(new Register(RegisterKind.PREDICATE, destination));
  }

  @Override
  public void run(Warp w, int m) {
    w.p[destination] = (w.p[destination] & ~m) | (eval.eval(w) & m);
  }
}
