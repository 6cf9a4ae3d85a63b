package dev.reprise.softgpu.engine.exec;

import java.util.HashSet;
import java.util.List;
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

  /** What may be run in its stead where all lanes of the warp are active: more at once. */
  @Nullable Op together;

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

  private Set<Register> namedOnce = Set.of();

  /** What the operation computes in each lane where it can be part of generated code, else null. */
  @Nullable LaneFunction function;

  /** Class of the result of {@link #function}. */
  RegisterKind resultKind = RegisterKind.INT;

  /** Array or predicate for the result of {@link #function}. */
  int result = -1;

  /** Which function it is to the interpreter. */
  int code = Interpreter.OTHER;

  /** Values of its arguments, as many as there are. */
  int a;

  int b;
  int c;

  /** Does it alone with the Vector API; null until {@link #hasForm} has found it. */
  @Nullable VectorForm form;

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

  /**
   * Set by the decoder: all registers that the operation may read or write.
   *
   * @param once those among them that its instruction names once, where it is the first operation
   */
  public final void touches(Set<Register> registers, Set<Register> once) {
    touches = registers;
    namedOnce = once;
  }

  /** The register as the only destination, if it is known that the operation does not read it. */
  final Set<Register> unlessRead(Register destination) {
    return namedOnce.contains(destination) ? Set.of(destination) : Set.of();
  }

  final void describe(RegisterKind kindOfResult, int destination, LaneFunction what) {
    resultKind = kindOfResult;
    result = destination;
    function = what;
    code = Interpreter.code(kindOfResult, what);
    List<LaneFunction.Argument> arguments = what.arguments();
    a = arguments.isEmpty() ? 0 : arguments.get(0).value();
    b = arguments.size() < 2 ? 0 : arguments.get(1).value();
    c = arguments.size() < 3 ? 0 : arguments.get(2).value();
  }

  /** Whether the Vector API can do it alone; looks for its {@link #form} the first time. */
  final boolean hasForm() {
    if (form == null) {
      form = VectorForms.of(this);
    }
    return form != null;
  }

  /** All registers whose old values the operation may need, and perhaps some more. */
  final Set<Register> reads() {
    LaneFunction f = function;
    Set<Register> all = new HashSet<>();
    if (f == null) {
      all.addAll(touches);
      all.removeAll(overwrites());
      all.addAll(sources());
    } else {
      for (LaneFunction.Argument a : f.arguments()) {
        if (a.kind() != null) {
          all.add(new Register(a.kind(), a.value()));
        }
      }
    }
    // The old result of a lane that the guard keeps out passes through: nothing overwrites it.
    if (guard >= 0) {
      all.add(new Register(RegisterKind.PREDICATE, guard));
    }
    return all;
  }

  /**
   * Registers to which the operation is known to give a new value in every lane that comes to it,
   * whatever the old one.
   */
  final Set<Register> overwrites() {
    if (guard >= 0) {
      return Set.of();
    }
    return overwritten();
  }

  /** Registers that it may write, where it has a {@link #function} or {@link #destinations}. */
  final Set<Register> overwritten() {
    return function != null ? Set.of(new Register(resultKind, result)) : destinations();
  }

  /**
   * Registers that it writes in every active lane, where it has no {@link #function}; those among
   * them that it also reads are {@link #sources}.
   */
  Set<Register> destinations() {
    return Set.of();
  }

  /** Registers that it reads of those that are {@link #destinations}. */
  Set<Register> sources() {
    return Set.of();
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
