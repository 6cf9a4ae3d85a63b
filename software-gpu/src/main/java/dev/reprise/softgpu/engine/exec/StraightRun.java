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

  private final Op[] ops;
  private final RunTiers tiers;

  private StraightRun(Op[] ops, int start, DataFlow flow) {
    this.ops = ops;
    tiers = new RunTiers(ops, () -> wanted(flow, start, ops.length));
    length = ops.length;
  }

  private static Liveness.@Nullable After wanted(DataFlow flow, int start, int length) {
    Liveness liveness = flow.liveness();
    return liveness == null ? null : liveness.after(start, start + length);
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
    tiers.run(w, m);
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
