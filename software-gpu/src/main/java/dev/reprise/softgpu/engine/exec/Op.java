package dev.reprise.softgpu.engine.exec;

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

  final int kind;

  /** Number of program slots that the operation stands for. */
  int length = 1;

  /** Guard predicate, -1 for none. */
  int guard = -1;

  /** All ones where the guard is negated. */
  int guardFlip;

  int line;
  String text = "";

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

  /** Set by the decoder: where the operation comes from and what guards it. */
  public final Op at(int ptxLine, String form, int guardRegister, boolean negated) {
    line = ptxLine;
    text = form;
    guard = guardRegister;
    guardFlip = negated ? -1 : 0;
    return this;
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
