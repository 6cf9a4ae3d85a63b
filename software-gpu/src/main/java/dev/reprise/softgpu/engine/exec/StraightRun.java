package dev.reprise.softgpu.engine.exec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operations that always follow each other. The interpreter does them one after the other; once
 * they have run often, and all live lanes take part, code generated for the whole run does.
 */
public final class StraightRun extends Op {
  private static final int LONGEST = 64;

  private final Op[] ops;

  /**
   * Registers whose values no other operation of the program can see before this run has written
   * them again.
   */
  private Set<Register> own = Set.of();

  private int runs;
  private @Nullable CompiledRun compiled;

  private StraightRun(Op[] ops) {
    this.ops = ops;
    length = ops.length;
  }

  /**
   * Puts runs into a program. Other slots keep their operations, so that program counters stay as
   * they are.
   *
   * @param leaders slots that jumps lead to
   */
  public static Op[] form(Op[] code, boolean[] leaders) {
    Op[] out = code.clone();
    List<StraightRun> formed = new ArrayList<>();
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
        StraightRun run = new StraightRun(Arrays.copyOfRange(code, start, end));
        run.at(code[start].line, code[start].text, -1, false);
        formed.add(run);
        out[start] = run;
      }
      start = Math.max(end, start + 1);
    }
    Map<Register, Integer> uses = new HashMap<>();
    for (Op op : code) {
      op.touches.forEach(r -> uses.merge(r, 1, Integer::sum));
    }
    formed.forEach(run -> run.findOwn(uses));
    return out;
  }

  /**
   * @param uses number of operations of the whole program that touch a register
   */
  private void findOwn(Map<Register, Integer> uses) {
    Map<Register, Integer> here = new HashMap<>();
    Set<Register> found = new HashSet<>();
    for (Op op : ops) {
      for (Register r : op.touches) {
        if (here.merge(r, 1, Integer::sum) == 1 && op.writesWithoutReading(r)) {
          found.add(r);
        }
      }
    }
    found.removeIf(r -> !Objects.equals(here.get(r), uses.get(r)));
    own = found;
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
    if (m == w.live && w.compileAfter >= 0) {
      CompiledRun c = compiled;
      if (c != null) {
        c.run(w, m, ops);
        return;
      }
      if (runs++ >= w.compileAfter) {
        compile(w.block.program());
      }
    }
    for (Op op : ops) {
      guarded(op, w, m);
    }
  }

  /** Runs one operation for those of the lanes that its guard lets through. */
  public static void guarded(Op op, Warp w, int m) {
    int active = op.guard < 0 ? m : m & (w.p[op.guard] ^ op.guardFlip);
    if (active != 0) {
      op.run(w, active);
    }
  }

  private synchronized void compile(Program program) {
    if (compiled == null) {
      compiled = new RunCompiler(ops, own, program).compile();
    }
  }
}
