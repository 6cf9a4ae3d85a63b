package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Modifiers of an instruction as a set that the decoder empties: one that nobody takes makes the
 * instruction unsupported.
 */
final class Form {
  private final Statement.Instruction instruction;
  private final List<String> rest;
  private final List<PtxType> types = new ArrayList<>();

  Form(Statement.Instruction instruction) {
    this.instruction = instruction;
    rest = new ArrayList<>(instruction.modifiers());
    for (String m : instruction.modifiers()) {
      PtxType t = PtxType.of(m);
      if (t != null) {
        types.add(t);
        rest.remove(m);
      }
    }
  }

  String opcode() {
    return instruction.opcode();
  }

  Statement.Instruction instruction() {
    return instruction;
  }

  /** Removes the modifier, which is no type, and tells whether it was there. */
  boolean take(String modifier) {
    return rest.remove(modifier);
  }

  /** The first of the options that is there, or null. */
  @Nullable String takeAny(String... options) {
    for (String o : options) {
      if (rest.remove(o)) {
        return o;
      }
    }
    return null;
  }

  /** One of the options must be there. */
  String require(String... options) {
    String found = takeAny(options);
    if (found == null) {
      throw error("needs one of ." + String.join(", .", options));
    }
    return found;
  }

  /** As {@link #require}, but the option stays where it is. */
  String requireLeft(String... options) {
    String found = require(options);
    rest.add(found);
    return found;
  }

  /** Whether one modifier is written before another. */
  boolean before(String first, String second) {
    return instruction.modifiers().indexOf(first) < instruction.modifiers().indexOf(second);
  }

  /** Whether a modifier that nobody has taken yet starts so. */
  boolean startsWith(String prefix) {
    return rest.stream().anyMatch(m -> m.startsWith(prefix));
  }

  /** Removes modifiers that change nothing here, such as cache hints. */
  void ignore(String... modifiers) {
    for (String m : modifiers) {
      rest.remove(m);
    }
  }

  void ignorePrefix(String... prefixes) {
    for (String p : prefixes) {
      rest.removeIf(m -> m.startsWith(p));
    }
  }

  int typeCount() {
    return types.size();
  }

  PtxType type(int k) {
    if (k >= types.size()) {
      throw error("lacks a type");
    }
    return types.get(k);
  }

  PtxType type() {
    return type(0);
  }

  /** The rounding mode, to nearest where none is given. */
  RoundingMode rounding() {
    String r = takeAny("rn", "rz", "rm", "rp");
    return r == null ? RoundingMode.RN : RoundingMode.valueOf(r.toUpperCase(java.util.Locale.ROOT));
  }

  Operand operand(int k) {
    if (k >= instruction.operands().size()) {
      throw error("needs at least " + (k + 1) + " operands");
    }
    return instruction.operands().get(k);
  }

  int operands() {
    return instruction.operands().size();
  }

  /** All modifiers must have been taken and the number of operands be one of these. */
  void done(int... counts) {
    if (!rest.isEmpty()) {
      throw unsupported();
    }
    for (int c : counts) {
      if (c == operands()) {
        return;
      }
    }
    throw error("has " + operands() + " operands, which is wrong");
  }

  PtxException unsupported() {
    return new PtxException(
        instruction.line(), instruction.column(), "unsupported instruction " + instruction.form());
  }

  PtxException unsupported(String why) {
    return new PtxException(
        instruction.line(),
        instruction.column(),
        "unsupported instruction " + instruction.form() + ": " + why);
  }

  PtxException error(String what) {
    return new PtxException(
        instruction.line(), instruction.column(), instruction.form() + " " + what);
  }
}
