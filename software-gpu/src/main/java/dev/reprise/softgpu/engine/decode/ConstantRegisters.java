package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the integer registers that one {@code mov} of a constant gives their only value, as
 * compilers write the constants of shuffles.
 */
final class ConstantRegisters {
  private ConstantRegisters() {}

  static void settle(List<Item> items) {
    Map<VirtualRegister, Integer> writes = new HashMap<>();
    for (Item item : items) {
      if (item instanceof Item.Step step && writesFirst(step.instruction())) {
        count(step.instruction().operands().get(0), step.scope(), writes);
      }
    }
    for (Item item : items) {
      if (item instanceof Item.Step step) {
        Statement.Instruction i = step.instruction();
        VirtualRegister to = constantMove(i, step.scope());
        if (to != null && Integer.valueOf(1).equals(writes.get(to))) {
          to.constant = ((Operand.IntImmediate) i.operands().get(1)).value();
        }
      }
    }
  }

  private static boolean writesFirst(Statement.Instruction i) {
    return !i.operands().isEmpty()
        && switch (i.opcode()) {
          case "st", "red", "bra" -> false;
          default -> true;
        };
  }

  private static void count(Operand o, Scope scope, Map<VirtualRegister, Integer> writes) {
    switch (o) {
      case Operand.Name n -> {
        if (scope.find(n.text()) instanceof VirtualRegister r) {
          writes.merge(r, 1, Integer::sum);
        }
      }
      case Operand.Pair p -> {
        count(p.first(), scope, writes);
        count(p.second(), scope, writes);
      }
      case Operand.Vector v -> v.elements().forEach(x -> count(x, scope, writes));
      default -> {}
    }
  }

  private static @Nullable VirtualRegister constantMove(Statement.Instruction i, Scope scope) {
    return i.opcode().equals("mov")
            && i.guard() == null
            && i.operands().size() == 2
            && !i.has(PtxType.B128.text())
            && i.operands().get(1) instanceof Operand.IntImmediate
            && i.operands().get(0) instanceof Operand.Name n
            && scope.find(n.text()) instanceof VirtualRegister r
        ? r
        : null;
  }
}
