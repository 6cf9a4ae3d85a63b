package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides for registers declared as plain bits whether most instructions use them as floats, so
 * that code generators that declare every register as {@code .b32} run as fast as those that do
 * not.
 */
final class RegisterKinds {
  private RegisterKinds() {}

  static void settle(List<Item> items) {
    Set<VirtualRegister> seen = new HashSet<>();
    for (Item item : items) {
      if (item instanceof Item.Step step) {
        visit(step.instruction(), step.scope(), seen);
      }
    }
    for (VirtualRegister r : seen) {
      if (r.floatUses > 0) {
        r.kind = r.type == PtxType.B32 ? RegisterKind.FLOAT : RegisterKind.DOUBLE;
      }
    }
  }

  private static void visit(Statement.Instruction i, Scope scope, Set<VirtualRegister> seen) {
    List<PtxType> types = new ArrayList<>();
    for (String m : i.modifiers()) {
      PtxType t = PtxType.of(m);
      if (t != null) {
        types.add(t);
      }
    }
    if (types.isEmpty()) {
      return;
    }
    for (int k = 0; k < i.operands().size(); k++) {
      PtxType t = typeOf(i, k, types);
      if (t != null) {
        count(i.operands().get(k), t, i.opcode(), scope, seen);
      }
    }
  }

  /** The type of operand {@code k}, null where the instruction does not say. */
  private static @Nullable PtxType typeOf(Statement.Instruction i, int k, List<PtxType> types) {
    PtxType last = types.get(types.size() - 1);
    return switch (i.opcode()) {
      // Conversions name the type of the result and then that of the source.
      case "cvt" -> toBits(i) ? null : types.get(Math.min(k, types.size() - 1));
      case "set" -> k == 0 ? types.get(0) : last;
      case "slct" -> k == 3 ? last : types.get(0);
      // The multiplicands are bits; so are the elements of fragments.
      case "mma" -> k == 0 ? types.get(0) : k == 3 ? last : null;
      case "wmma" -> null;
      default -> last;
    };
  }

  /** Whether a conversion has operands that its types do not describe. */
  private static boolean toBits(Statement.Instruction i) {
    return NarrowDecoder.handles(i) || StochasticDecoder.handles(i);
  }

  /** The type of what an instruction gives, or null. */
  static @Nullable PtxType resultType(Statement.Instruction i) {
    if (i.opcode().equals("cvt") && toBits(i)) {
      return null;
    }
    for (String m : i.modifiers()) {
      PtxType t = PtxType.of(m);
      if (t != null) {
        return t;
      }
    }
    return null;
  }

  private static void count(
      Operand o, PtxType t, String opcode, Scope scope, Set<VirtualRegister> seen) {
    switch (o) {
      case Operand.Name n -> add(scope.find(n.text()), t, opcode, seen);
      case Operand.Pair p -> add(scope.find(p.first().text()), t, opcode, seen);
      case Operand.Vector v ->
          v.elements()
              .forEach(x -> count(x, opcode.equals("mov") ? PtxType.B16 : t, opcode, scope, seen));
      case Operand.Address a -> {
        if (a.base() != null) {
          add(scope.find(a.base().text()), PtxType.U64, opcode, seen);
        }
      }
      default -> {}
    }
  }

  private static void add(@Nullable Symbol s, PtxType t, String opcode, Set<VirtualRegister> seen) {
    if (!(s instanceof VirtualRegister r) || (r.type != PtxType.B32 && r.type != PtxType.B64)) {
      return;
    }
    seen.add(r);
    boolean real = r.type == PtxType.B32 ? t == PtxType.F32 : t == PtxType.F64;
    boolean neutral =
        t.kind() == PtxType.Kind.BITS
            && t.bytes() >= 4
            && switch (opcode) {
              case "mov", "ld", "st", "selp" -> true;
              default -> false;
            };
    r.floatUses += real ? 1 : neutral ? 0 : -1;
  }
}
