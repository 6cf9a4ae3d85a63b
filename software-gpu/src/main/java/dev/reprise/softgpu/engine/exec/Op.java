package dev.reprise.softgpu.engine.exec;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One decoded operation, run for all active lanes of a warp at once. Immutable but for what the
 * decoder sets and for caches.
 */
public abstract class Op {
  /** How the scheduler treats the operation. */
  static final int STRAIGHT = 0;

  static final int BRANCH = 1;
  static final int EXIT = 2;
  static final int SYNC = 3;
  static final int BARRIER = 4;
  static final int TABLE = 5;
  static final int CALL = 6;
  static final int RETURN = 7;

  final int kind;

  /** Number of program slots that the operation stands for. */
  int length = 1;

  /** Guard predicate, -1 for none. */
  int guard = -1;

  /** All ones where the guard is negated. */
  int guardFlip;

  /** Whether it is the first of its PTX instruction. */
  boolean leads;

  /** What its PTX instruction counts as; null until a profile asks. */
  @Nullable Instruction instruction;

  int line;
  String text = "";

  /** All registers that the operation may read or write, and perhaps some more. */
  Set<Register> touches = Set.of();

  /** What the operation computes in each lane where it can be part of generated code, else null. */
  @Nullable LaneFunction function;

  /** Class of the result of {@link #function}. */
  RegisterKind resultKind = RegisterKind.INT;

  /** Array or predicate for the result of {@link #function}. */
  int result = -1;

  Op(int kind) {
    this.kind = kind;
  }

  protected Op() {
    this(STRAIGHT);
  }

  /**
   * Runs the operation.
   *
   * @param m active lanes, never 0
   */
  public abstract void run(Warp w, int m);

  /** Set by the decoder: all registers that the operation may read or write. */
  public final void touches(Set<Register> registers) {
    touches = registers;
  }

  final void describe(RegisterKind kindOfResult, int destination, LaneFunction what) {
    resultKind = kindOfResult;
    result = destination;
    function = what;
  }

  /**
   * Whether the operation is known to give the register a new value in all active lanes, whatever
   * the old one.
   */
  final boolean writesWithoutReading(Register r) {
    LaneFunction f = function;
    if (f == null || guard >= 0 || r.kind() != resultKind || r.index() != result) {
      return false;
    }
    return f.arguments().stream().noneMatch(a -> a.kind() == r.kind() && a.value() == r.index());
  }

  /** Set by the decoder: where the operation comes from and what guards it. */
  public final Op at(int ptxLine, String form, int guardRegister, boolean negated) {
    line = ptxLine;
    text = form;
    guard = guardRegister;
    guardFlip = negated ? -1 : 0;
    return this;
  }

  /** Set by the decoder: whether it is the first operation of a PTX instruction. */
  public final void leads(boolean first) {
    leads = first;
  }

  /** PTX line. */
  public final int line() {
    return line;
  }

  /** Opcode with modifiers. */
  public final String text() {
    return text;
  }
}
