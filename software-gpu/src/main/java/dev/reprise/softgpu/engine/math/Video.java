package dev.reprise.softgpu.engine.math;

/**
 * Video instructions on parts of 32-bit words (PTX ISA, "Scalar Video Instructions" and "SIMD Video
 * Instructions"). Intermediate results have more than 32 bits, as the manual has them.
 */
public final class Video {
  private Video() {}

  /** The part of a word that starts at bit {@code shift}, extended. */
  public static long part(int word, int shift, int bits, boolean signed) {
    int up = 32 - bits;
    int v = word >>> shift << up;
    return signed ? v >> up : (v >>> up) & 0xffff_ffffL;
  }

  /** The operation of an opcode without its {@code v}. */
  public static long apply(String op, long a, long b) {
    return switch (op) {
      case "add" -> a + b;
      case "sub" -> a - b;
      case "absdiff" -> Math.abs(a - b);
      case "min" -> Math.min(a, b);
      case "max" -> Math.max(a, b);
      case "avrg" -> a + b >= 0 ? a + b + 1 >> 1 : a + b >> 1;
      default -> throw new IllegalArgumentException(op);
    };
  }

  /** {@code vshl} and {@code vshr}; a shift of 32 or more moves everything out. */
  public static long shift(boolean left, long a, long amount, boolean clamp) {
    int n = (int) (clamp ? Math.min(amount, 32) : amount & 31);
    // A value of 32 bits moved left by 32 only matters as not being zero, in which size and sign.
    return left ? (n == 32 ? Long.signum(a) * (1L << 40) : a << n) : a >> n;
  }

  public static boolean compare(String comparison, long a, long b) {
    return switch (comparison) {
      case "eq" -> a == b;
      case "ne" -> a != b;
      case "lt" -> a < b;
      case "le" -> a <= b;
      case "gt" -> a > b;
      case "ge" -> a >= b;
      default -> throw new IllegalArgumentException(comparison);
    };
  }

  /** Clamps to a range of {@code bits} bits. */
  public static long saturate(long v, int bits, boolean signed) {
    long most = (1L << (signed ? bits - 1 : bits)) - 1;
    return Math.clamp(v, signed ? -most - 1 : 0, most);
  }

  /** {@code .add}, {@code .min} or {@code .max} with the third operand. */
  public static int secondary(String op, int v, int c, boolean signed) {
    return switch (op) {
      case "add" -> v + c;
      case "min" -> signed ? Math.min(v, c) : Integer.compareUnsigned(v, c) < 0 ? v : c;
      case "max" -> signed ? Math.max(v, c) : Integer.compareUnsigned(v, c) > 0 ? v : c;
      default -> throw new IllegalArgumentException(op);
    };
  }

  /**
   * {@code vmad}: a times b plus c, shifted right and perhaps clamped.
   *
   * @param more 1 for {@code .po}
   */
  public static int multiplyAdd(
      long a, long b, long c, int more, int shift, boolean signed, boolean saturate) {
    long v = a * b + c + more >> shift;
    return (int) (saturate ? saturate(v, 32, signed) : v);
  }
}
