package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a PTX instruction counts as.
 *
 * @param flopsOfLane floating-point operations of each lane: one of a fused multiply and add is two
 * @param flopsOfWarp floating-point operations of the warp, for matrix products
 */
record Instruction(InstructionKind kind, int flopsOfLane, int flopsOfWarp) {
  private static final Pattern SHAPE = Pattern.compile("m(\\d+)n(\\d+)k(\\d+)");
  private static final Set<String> ONE =
      Set.of(
          "add", "sub", "mul", "div", "sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh");
  private static final Set<String> FLOATS =
      Set.of("f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "f32x2");

  /** Of the operation's text, found once. */
  static Instruction of(Op op) {
    Instruction known = op.instruction;
    if (known == null) {
      known = parse(op.text());
      op.instruction = known;
    }
    return known;
  }

  static Instruction parse(String form) {
    List<String> parts = Arrays.asList(form.split("\\."));
    String opcode = parts.getFirst();
    InstructionKind kind = kind(opcode, parts);
    return switch (kind) {
      case F16, F32, F64 -> new Instruction(kind, flops(opcode, parts), 0);
      case MATRIX -> new Instruction(kind, 0, matrix(parts));
      default -> new Instruction(kind, 0, 0);
    };
  }

  private static InstructionKind kind(String opcode, List<String> parts) {
    return switch (opcode) {
      case "mov", "cvt", "cvta", "mapa", "getctarank", "selp", "prmt" ->
          InstructionKind.CONVERT_MOVE;
      case "ld", "ldu", "st", "cp" ->
          parts.contains("shared") || parts.contains("shared::cta")
              ? InstructionKind.SHARED
              : parts.contains("local") || parts.contains("param") || parts.contains("const")
                  ? InstructionKind.OTHER_MEMORY
                  : InstructionKind.GLOBAL;
      case "atom", "red" -> InstructionKind.ATOMIC;
      case "shfl", "vote", "match", "redux", "activemask", "elect" -> InstructionKind.WARP;
      case "bar", "barrier", "mbarrier", "membar", "fence" -> InstructionKind.BARRIER;
      case "mma", "wmma", "ldmatrix", "stmatrix", "movmatrix" -> InstructionKind.MATRIX;
      case "bra", "brx", "ret", "exit", "call", "trap", "brkpt", "nanosleep" ->
          InstructionKind.CONTROL;
      default -> arithmetic(parts);
    };
  }

  private static InstructionKind arithmetic(List<String> parts) {
    String type = parts.stream().filter(FLOATS::contains).findFirst().orElse("");
    return switch (type) {
      case "" -> InstructionKind.INTEGER;
      case "f32", "f32x2" -> InstructionKind.F32;
      case "f64" -> InstructionKind.F64;
      default -> InstructionKind.F16;
    };
  }

  private static int flops(String opcode, List<String> parts) {
    int each = opcode.equals("fma") || opcode.equals("mad") ? 2 : ONE.contains(opcode) ? 1 : 0;
    boolean two = parts.stream().anyMatch(p -> FLOATS.contains(p) && p.endsWith("x2"));
    return two ? 2 * each : each;
  }

  private static int matrix(List<String> parts) {
    if (!parts.contains("mma")
        || parts.stream().noneMatch(p -> p.startsWith("f") || p.equals("bf16"))) {
      return 0;
    }
    Matcher shape = SHAPE.matcher(String.join(".", parts));
    return shape.find()
        ? 2
            * Integer.parseInt(shape.group(1))
            * Integer.parseInt(shape.group(2))
            * Integer.parseInt(shape.group(3))
        : 0;
  }
}
