package dev.reprise.softgpu.ptx;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Statement of a function body. */
public sealed interface Statement {

  int line();

  /** A line of source code ({@code .loc}): number of the {@code .file} and line. */
  record SourceLine(int file, int line) {}

  /** {@code @p} or {@code @!p}. */
  record Guard(String predicate, boolean negated) {}

  /**
   * An instruction.
   *
   * @param modifiers what follows the opcode, without dots, in the order written; the order carries
   *     meaning only among types
   * @param source what {@code .loc} said last, or null
   */
  record Instruction(
      int line,
      int column,
      @Nullable Guard guard,
      String opcode,
      List<String> modifiers,
      List<Operand> operands,
      @Nullable SourceLine source)
      implements Statement {

    public boolean has(String modifier) {
      return modifiers.contains(modifier);
    }

    /** The same with other operands. */
    public Instruction with(List<Operand> others) {
      return new Instruction(line, column, guard, opcode, modifiers, List.copyOf(others), source);
    }

    /** Opcode with its modifiers as written. */
    public String form() {
      return modifiers.isEmpty() ? opcode : opcode + "." + String.join(".", modifiers);
    }
  }

  record Label(int line, String name) implements Statement {}

  /**
   * {@code .reg}: {@code count} is negative for a single name, else the registers are {@code name0
   * .. name(count-1)}.
   */
  record Registers(int line, PtxType type, int vector, String name, int count)
      implements Statement {}

  record Declaration(int line, Variable variable) implements Statement {}

  /** {@code name: .branchtargets a, b;} */
  record BranchTargets(int line, String name, List<String> labels) implements Statement {}

  /** {@code name: .callprototype (results) _ (parameters);} */
  record CallPrototype(int line, String name, List<Variable> results, List<Variable> parameters)
      implements Statement {}

  /** {@code { ... }} with its own registers, variables and labels. */
  record Scope(int line, List<Statement> statements) implements Statement {}
}
