package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Operations that always follow each other. The interpreter does them one after the other; once
 * they have run often, and all live lanes take part, code generated for the whole run does.
 */
public final class StraightRun extends Op {
  private static final int LONGEST = 128;

  private final Op[] ops;

  private final int start;
  private final DataFlow flow;

  private final Generated loops = new Generated(false);
  private final Generated vectors = new Generated(true);

  /** Code that is generated for the run. */
  private final class Generated {
    /** Whether it uses the Vector API. */
    private final boolean byVectors;

    /** Operations that the run has done, about: threads count without care for each other. */
    private long done;

    /** Written before {@link #code}. */
    private Trial trial = new Trial(false);

    private volatile @Nullable CompiledRun code;

    Generated(boolean byVectors) {
      this.byVectors = byVectors;
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
        if (done > w.compileAfter) {
          compile(w.block.program(), w.compileAfter == 0);
        }
        return false;
      }
      if (trial.won()) {
        c.run(w, m, ops);
      } else {
        trial.run(c, StraightRun.this, w, m, ops);
      }
      return true;
    }

    private synchronized void compile(Program program, boolean atOnce) {
      if (code == null) {
        Liveness liveness = flow.liveness();
        Liveness.After after = liveness == null ? null : liveness.after(start, start + ops.length);
        trial = new Trial(atOnce);
        code = new RunCompiler(ops, after, program, byVectors).compile();
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
   * they are.
   *
   * @param leaders slots that jumps lead to
   * @param flow of the program
   */
  public static Op[] form(Op[] code, boolean[] leaders, DataFlow flow) {
    Op[] out = code.clone();
    int start = 0;
    while (start < code.length) {
      int end = start;
      while (end < code.length
          && code[end].kind == STRAIGHT
          && end - start < LONGEST
          && (end == start || !leaders[end])) {
        end++;
      }
      if (end - start >= 2) {
        StraightRun run = new StraightRun(Arrays.copyOfRange(code, start, end), start, flow);
        run.at(code[start].line, code[start].text, -1, false);
        out[start] = run;
      }
      start = Math.max(end, start + 1);
    }
    return out;
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
    if (w.compileAfter >= 0 && (w.vectors ? vectors : loops).run(w, m)) {
      return;
    }
    interpret(w, m);
  }

  /** Does the operations one after the other. */
  void interpret(Warp w, int m) {
    Interpreter.run(ops, w, m);
  }

  /** Runs one operation for those of the lanes that its guard lets through. */
  public static void guarded(Op op, Warp w, int m) {
    int active = op.guard < 0 ? m : m & (w.p[op.guard] ^ op.guardFlip);
    if (active != 0) {
      op.run(w, active);
    }
  }
}
