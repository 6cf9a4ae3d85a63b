package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations that always follow each other. The interpreter does them one after the other; once
 * they have run often, and all live lanes take part, code generated for the whole run does.
 */
public final class StraightRun extends Op {
  private static final int LONGEST = 128;

  /** Does the operations one after the other, in plain Java. */
  private static final CompiledRun PLAIN = (w, m, ops) -> Interpreter.run(ops, w, m);

  /** The fastest way of doing the operations one after the other. */
  private final CompiledRun interpreter = (w, m, all) -> interpret(w, m);

  private final Op[] ops;

  private final int start;
  private final DataFlow flow;

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

  private final Generated loops = new Generated(Way.LOOPS);
  private final Generated vectors = new Generated(Way.VECTORS);
  private final Generated forms = new Generated(Way.FORMS);

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
  private final class Generated {
    private final Way way;

    /** Operations that the run has done, about: threads count without care for each other. */
    private long done;

    /** Written before {@link #code}. */
    private Trial trial = new Trial(false);

    private volatile @Nullable CompiledRun code;

    /** Whether it can tell of the Vector API: what it does little of would win anywhere. */
    private @Nullable Boolean suits;

    Generated(Way way) {
      this.way = way;
    }

    /** Whether it is slower than interpreting, as where a JVM has no instructions for vectors. */
    boolean lost() {
      return trial.lost();
    }

    boolean won() {
      return trial.won();
    }

    /**
     * Runs the code if it is there.
     *
     * @return whether it was
     */
    boolean run(Warp w, int m) {
      CompiledRun c = code;
      if (c == null) {
        done += ops.length;
        if (done > after(w) && (way != Way.FORMS || mayTry())) {
          compile(w.block.program(), w.compileAfter == 0);
        }
        return false;
      }
      if (trial.won()) {
        c.run(w, m, ops);
      } else {
        trial.run(c, way == Way.FORMS ? PLAIN : interpreter, w, m, ops);
      }
      return true;
    }

    private boolean mayTry() {
      if (SCOUT.won()) {
        return true;
      }
      if (suits == null) {
        suits = VectorInterpreter.suits(ops);
      }
      return suits && SCOUT.letsTry();
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
        Liveness liveness = flow.liveness();
        Liveness.After after = liveness == null ? null : liveness.after(start, start + ops.length);
        trial = way == Way.FORMS ? new Trial(atOnce, MOST_OF_FORMS) : new Trial(atOnce);
        code =
            way == Way.FORMS
                ? new VectorInterpreter(ops)
                : new RunCompiler(ops, after, program, way == Way.VECTORS).compile();
      }
    }
  }

  private StraightRun(Op[] ops, int start, DataFlow flow) {
    this.ops = ops;
    this.start = start;
    this.flow = flow;
    length = ops.length;
  }

  /**
   * Puts runs into a program. Other slots keep their operations, so that program counters stay as
   * they are. Operations that all lanes of a warp do together, such as shuffles, end a run, but for
   * {@link Op#together}.
   *
   * @param leaders slots that jumps lead to
   * @param flow of the program
   * @param constants the value of an int array where it is known
   */
  public static Op[] form(
      Op[] code, boolean[] leaders, DataFlow flow, IntFunction<@Nullable Integer> constants) {
    Op[] out = code.clone();
    int start = 0;
    while (start < code.length) {
      int end = end(code, leaders, start, op -> op.kind == STRAIGHT);
      int all = end(code, leaders, start, op -> op.kind == STRAIGHT || ofAll(op, constants));
      if (code[start].kind == STRAIGHT && (end - start >= 2 || all > end)) {
        StraightRun run = run(code, start, end, flow);
        if (all > end) {
          run.together = run(code, start, all, flow);
        }
        out[start] = run;
      }
      start = Math.max(end, start + 1);
    }
    return out;
  }

  private static int end(Op[] code, boolean[] leaders, int start, Predicate<Op> fits) {
    int end = start;
    while (end < code.length
        && fits.test(code[end])
        && end - start < LONGEST
        && (end == start || !leaders[end])) {
      end++;
    }
    return end;
  }

  private static StraightRun run(Op[] code, int start, int end, DataFlow flow) {
    StraightRun run = new StraightRun(Arrays.copyOfRange(code, start, end), start, flow);
    run.at(code[start].line, code[start].text, -1, false);
    return run;
  }

  /** Whether it is an operation that names all lanes of the warp. */
  private static boolean ofAll(Op op, IntFunction<@Nullable Integer> constants) {
    return op instanceof SyncOp sync
        && op.guard < 0
        && Integer.valueOf(-1).equals(constants.apply(sync.members));
  }

  @Override
  public void run(Warp w, int m) {
    Counts counts = w.counts;
    if (counts != null) {
      for (Op op : ops) {
        counts.count(op, w, m, op.guard < 0 ? m : m & (w.p[op.guard] ^ op.guardFlip));
        guarded(op, w, m);
      }
      return;
    }
    Generated code = code(w);
    if (code == null || !code.run(w, m)) {
      interpret(w, m);
    }
  }

  private void interpret(Warp w, int m) {
    // It has forms for all lanes that live, and would tie where it has none.
    if (!w.vectors || m != w.live || forms.lost() || !forms.run(w, m)) {
      PLAIN.run(w, m, ops);
    } else if (!SCOUT.won() && (forms.won() || forms.lost())) {
      SCOUT.ended(forms.won());
    }
  }

  /** How it is to be compiled, if at all. */
  private @Nullable Generated code(Warp w) {
    if (w.compileAfter < 0) {
      return null;
    }
    if (w.vectors && !vectors.lost() && (w.compileAfter == 0 || SCOUT.won())) {
      return vectors;
    }
    return loops.lost() ? null : loops;
  }

  /** Runs one operation for those of the lanes that its guard lets through. */
  public static void guarded(Op op, Warp w, int m) {
    int active = op.guard < 0 ? m : m & (w.p[op.guard] ^ op.guardFlip);
    if (active != 0) {
      op.run(w, active);
    }
  }

  /** Runs one operation that has a form, by that if all lanes that live take part. */
  public static void formed(Op op, Warp w, int m) {
    if (m == w.live) {
      Objects.requireNonNull(op.form).run(w, op, m);
    } else {
      op.run(w, m);
    }
  }
}
