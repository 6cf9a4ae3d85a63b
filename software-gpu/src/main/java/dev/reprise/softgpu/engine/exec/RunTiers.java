package dev.reprise.softgpu.engine.exec;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a run is done: interpreted at first, then by code that is generated for it, each way once it
 * has been measured to be faster than the one before.
 */
final class RunTiers {
  /** Does the operations one after the other, in plain Java. */
  private static final CompiledRun PLAIN = (w, m, ops) -> Interpreter.run(ops, w, m);

  /**
   * A JVM that was given the Vector API is to live for long, and gains more by compiling: it does
   * so after fewer operations.
   */
  private static final int VECTORS_AFTER = 2_000_000;

  /** The interpreter uses the Vector API after so many operations in the run. */
  private static final int FORMS_AFTER = 10_000_000;

  /** As {@link #FORMS_AFTER}, where it interprets only what is not yet compiled. */
  private static final int FORMS_BEFORE = 20_000;

  /** Nanoseconds of trying the Vector API for one operation at a time. */
  private static final long MOST_OF_FORMS = 1_000_000_000L;

  private static final Scout SCOUT = new Scout();

  private final Op[] ops;
  private final Supplier<Liveness.@Nullable After> wanted;

  /** Interprets it as fast as is known to be possible. */
  private final CompiledRun interpreter = (w, m, all) -> interpret(w, m);

  private final Tier loops = new Tier(Way.LOOPS);
  private final Tier vectors = new Tier(Way.VECTORS);
  private final Tier forms = new Tier(Way.FORMS);

  /** Operations done until compiled, about: threads count without care for each other. */
  private long done;

  /** Whether it can tell of the Vector API: what it does little of would win anywhere. */
  private @Nullable Boolean telling;

  /**
   * @param wanted what is wanted after each operation; null where that is not known
   */
  RunTiers(Op[] ops, Supplier<Liveness.@Nullable After> wanted) {
    this.ops = ops;
    this.wanted = wanted;
  }

  /** Does the run. */
  void run(Warp w, int m) {
    Tier tier = fastest(w);
    if (tier == null || tier.code == null) {
      done += ops.length;
    }
    if (tier == null || !tier.run(w, m)) {
      interpret(w, m);
    }
  }

  private void interpret(Warp w, int m) {
    // It has forms for all lanes that live, and would tie where it has none.
    if (!w.vectors || m != w.live || forms.lost() || !forms.run(w, m)) {
      PLAIN.run(w, m, ops);
    }
  }

  /** How it is to be compiled, if at all. */
  private @Nullable Tier fastest(Warp w) {
    if (w.compileAfter < 0) {
      return null;
    }
    boolean open = w.compileAfter == 0 || SCOUT.won();
    if (w.vectors && !vectors.lost() && (open || vectors.compiled(w))) {
      return vectors;
    }
    return loops.lost() ? null : loops;
  }

  private boolean tells() {
    if (telling == null) {
      telling = VectorForms.suit(ops);
    }
    return telling;
  }

  /** How code that is generated does a run. */
  private enum Way {
    /** By loops, which the JIT makes vector code of where it can. */
    LOOPS,
    /** By loops that use the Vector API. */
    VECTORS,
    /** Interpreted, with the Vector API for each operation. */
    FORMS
  }

  /** Code that is generated for the run. */
  private final class Tier {
    private final Way way;

    /** Written before {@link #code}. */
    private Trial trial = new Trial(false);

    private volatile @Nullable CompiledRun code;

    Tier(Way way) {
      this.way = way;
    }

    /** Whether it is slower than interpreting, as where a JVM has no instructions for vectors. */
    boolean lost() {
      return trial.lost();
    }

    /**
     * Runs the code if it is there.
     *
     * @return whether it was
     */
    boolean run(Warp w, int m) {
      CompiledRun c = code;
      if (c == null) {
        compiled(w);
        return false;
      }
      if (trial.won()) {
        c.run(w, m, ops);
        return true;
      }
      if (way != Way.LOOPS && !SCOUT.won()) {
        return scout(c, w, m);
      }
      trial.run(c, way == Way.FORMS ? PLAIN : interpreter, w, m, ops);
      return true;
    }

    private boolean scout(CompiledRun c, Warp w, int m) {
      // Where lanes wait it does less by vectors, and tells less.
      if (m != w.live) {
        return false;
      }
      SCOUT.tried();
      trial.run(c, PLAIN, w, m, ops);
      if (trial.won() || trial.lost()) {
        SCOUT.ended(trial.won());
      }
      return true;
    }

    /** Whether there is code, which is made when it is time. */
    boolean compiled(Warp w) {
      if (code == null && done > after(w) && (w.compileAfter == 0 || may())) {
        compile(w.block.program(), w.compileAfter == 0);
      }
      return code != null;
    }

    private boolean may() {
      return way == Way.LOOPS || SCOUT.won() || (tells() && SCOUT.letsTry());
    }

    private int after(Warp w) {
      return switch (way) {
        case LOOPS -> w.compileAfter;
        case VECTORS -> Math.min(w.compileAfter, VECTORS_AFTER);
        case FORMS -> w.compileAfter < 0 ? FORMS_AFTER : FORMS_BEFORE;
      };
    }

    private synchronized void compile(Program program, boolean atOnce) {
      if (code == null) {
        trial = way == Way.FORMS ? new Trial(atOnce, MOST_OF_FORMS) : new Trial(atOnce);
        code =
            way == Way.FORMS
                ? new VectorInterpreter(ops)
                : new RunCompiler(ops, wanted.get(), program, way == Way.VECTORS).compile();
      }
    }
  }
}
