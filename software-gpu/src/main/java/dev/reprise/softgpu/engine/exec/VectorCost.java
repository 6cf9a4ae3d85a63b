package dev.reprise.softgpu.engine.exec;

/**
 * How much code the JIT inlines for what a loop does with the Vector API, in tenths of what it does
 * for an addition. It stops to inline at some size of a method (the flag {@code
 * NodeCountInliningCutoff}), and vectors become objects then, which is a hundred times as slow. So
 * these are measured: as many of each as a method can do before it allocates memory.
 */
final class VectorCost {
  /** Of a whole loop; measured to be 450. */
  static final int MOST = 400;

  /** Of a load of lanes of a register. */
  static final int LOAD = 9;

  /** Of a store of lanes of a register. */
  static final int STORE = 7;

  /** Of a predicate that is stored. */
  static final int STORE_PREDICATE = 10;

  /** Of a value that is the same in all lanes. */
  static final int ALL = 5;

  /** An operation from here on is done by a loop of its own, which is the same for all programs. */
  static final int ALONE = 200;

  private VectorCost() {}

  static int of(Op op) {
    LaneFunction f = op.function;
    return f == null ? 10 : of(f.name(), op.resultKind);
  }

  private static int of(String function, RegisterKind result) {
    return switch (function) {
      case "exp2" -> 360;
      case "ofHalf" -> 160;
      case "mulHiU" -> 80;
      case "mulWideU", "join" -> 60;
      case "mulHiS", "shlBy", "shrUBy", "shrSBy", "madWideU" -> 60;
      case "min", "max" -> 40;
      case "mulWideS", "field" -> 40;
      case "madWideS" -> 50;
      case "flush", "notDiffers", "ordered", "notOrdered", "ofU32" -> 35;
      case "high", "toCanonicalBits", "differs" -> 25;
      case "extendU", "mad", "not", "low16", "low8", "signed16", "signed8" -> 20;
      case "rcp", "notLt", "notLe", "div" -> 20;
      case "canonical", "select" -> 15;
      default -> result == RegisterKind.PREDICATE ? 15 : 10;
    };
  }
}
