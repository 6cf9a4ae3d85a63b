package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the single-precision registers that may hold bits which no arithmetic made: loaded,
 * shuffled or moved from an integer register. PTX wants the one canonical NaN from arithmetic, but
 * payloads kept in data that is only moved. Arithmetic on the host yields other NaNs; they are
 * replaced where a value leaves a register that holds results of arithmetic only, which costs
 * nothing in between, and at once in the few registers that hold both.
 */
final class RawBits {
  private RawBits() {}

  static void settle(List<Item> items) {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Item item : items) {
        if (item instanceof Item.Step step) {
          changed |= visit(step.instruction(), step.scope());
        }
      }
    }
  }

  private static boolean visit(Statement.Instruction i, Scope scope) {
    if (i.operands().isEmpty() || i.opcode().equals("st") || i.opcode().equals("red")) {
      return false;
    }
    Operand first = i.operands().get(0);
    boolean changed = false;
    if (first instanceof Operand.Vector v) {
      for (Operand o : v.elements()) {
        changed |= mark(single(o, scope));
      }
      return changed;
    }
    VirtualRegister to = single(first instanceof Operand.Pair p ? p.first() : first, scope);
    return to != null && !to.raw && raw(i, scope) && mark(to);
  }

  private static boolean raw(Statement.Instruction i, Scope scope) {
    return switch (i.opcode()) {
      case "mov", "selp", "slct" -> {
        boolean any = false;
        for (Operand o : i.operands().subList(1, Math.min(3, i.operands().size()))) {
          any |= !(o instanceof Operand.FloatImmediate) && !clean(o, scope);
        }
        yield any;
      }
      case "ld", "ldu", "atom", "shfl" -> true;
      // Bit operations on a register that most instructions use as a float. The type of the result
      // is named first.
      default -> RegisterKinds.resultType(i) != PtxType.F32;
    };
  }

  private static boolean clean(Operand o, Scope scope) {
    VirtualRegister r = single(o, scope);
    return r != null && !r.raw;
  }

  private static boolean mark(@Nullable VirtualRegister r) {
    if (r == null || r.raw) {
      return false;
    }
    r.raw = true;
    return true;
  }

  private static @Nullable VirtualRegister single(Operand o, Scope scope) {
    return o instanceof Operand.Name n
            && scope.find(n.text()) instanceof VirtualRegister r
            && r.kind == RegisterKind.FLOAT
        ? r
        : null;
  }
}
