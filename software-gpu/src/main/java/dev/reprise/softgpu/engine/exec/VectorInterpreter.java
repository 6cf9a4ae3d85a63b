package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Interprets a run as {@link Interpreter} does, but has the Vector API do each operation: the loops
 * of plain Java do some lanes alone, before and after those that the JIT does together.
 */
final class VectorInterpreter implements CompiledRun {
  private final @Nullable VectorForm[] forms;

  VectorInterpreter(Op[] ops) {
    forms = Arrays.stream(ops).map(VectorForms::of).toArray(VectorForm[]::new);
  }

  @Override
  public void run(Warp w, int m, Op[] ops) {
    for (int k = 0; k < ops.length; k++) {
      Op op = ops[k];
      int active = op.guard < 0 ? m : m & (w.p[op.guard] ^ op.guardFlip);
      VectorForm form = forms[k];
      // Lanes that have exited, or never were, do not matter.
      if (form != null && active == w.live) {
        form.run(w, op, active);
      } else if (active != 0) {
        op.run(w, active);
      }
    }
  }
}
