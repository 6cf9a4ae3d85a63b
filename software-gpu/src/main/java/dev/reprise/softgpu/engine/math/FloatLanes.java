package dev.reprise.softgpu.engine.math;

/**
 * Single precision, round to nearest even, lane by lane; comparisons give a bit for each lane and
 * are false for NaN.
 */
public final class FloatLanes {
  private static final int N = 32;

  private FloatLanes() {}

  public static void mov(float[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k];
    }
  }

  public static void neg(float[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = -a[k];
    }
  }

  public static void abs(float[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.abs(a[k]);
    }
  }

  public static void sqrt(float[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = (float) Math.sqrt(a[k]);
    }
  }

  public static void rcp(float[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = 1 / a[k];
    }
  }

  public static void add(float[] d, float[] a, float[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] + b[k];
    }
  }

  public static void sub(float[] d, float[] a, float[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] - b[k];
    }
  }

  public static void mul(float[] d, float[] a, float[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] * b[k];
    }
  }

  public static void div(float[] d, float[] a, float[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] / b[k];
    }
  }

  public static void min(float[] d, float[] a, float[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = FloatBits.min(a[k], b[k]);
    }
  }

  public static void max(float[] d, float[] a, float[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = FloatBits.max(a[k], b[k]);
    }
  }

  public static void fma(float[] d, float[] a, float[] b, float[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.fma(a[k], b[k], c[k]);
    }
  }

  public static int eq(float[] a, float[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] == b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int lt(float[] a, float[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] < b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int le(float[] a, float[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] <= b[k] ? 1 : 0) << k;
    }
    return r;
  }

  /** Lanes where neither operand is a NaN. */
  public static int ordered(float[] a, float[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (!Float.isNaN(a[k]) && !Float.isNaN(b[k]) ? 1 : 0) << k;
    }
    return r;
  }

  /** {@code a} in the lanes of the mask, {@code b} in the others. */
  public static void select(float[] d, float[] a, float[] b, int mask) {
    if (mask == -1 || mask == 0) {
      mov(d, mask == 0 ? b : a);
      return;
    }
    for (int k = 0; k < N; k++) {
      d[k] = (mask >>> k & 1) != 0 ? a[k] : b[k];
    }
  }

  public static void toBits(int[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Float.floatToRawIntBits(a[k]);
    }
  }

  public static void ofBits(float[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Float.intBitsToFloat(a[k]);
    }
  }

  /** Function of one operand. */
  @FunctionalInterface
  public interface Unary {
    float apply(float a);
  }

  /** Function of two operands. */
  @FunctionalInterface
  public interface Binary {
    float apply(float a, float b);
  }

  /** Function of three operands. */
  @FunctionalInterface
  public interface Ternary {
    float apply(float a, float b, float c);
  }

  /** For instructions too rare for a loop of their own. */
  public static void map(float[] d, float[] a, Unary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k]);
    }
  }

  public static void map(float[] d, float[] a, float[] b, Binary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k], b[k]);
    }
  }

  public static void map(float[] d, float[] a, float[] b, float[] c, Ternary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k], b[k], c[k]);
    }
  }

  /** NaNs become the canonical one. */
  public static void canonical(float[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      float x = a[k];
      d[k] = Float.isNaN(x) ? FloatBits.NAN : x;
    }
  }

  public static void toCanonicalBits(int[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      float x = a[k];
      d[k] = Float.isNaN(x) ? 0x7fff_ffff : Float.floatToRawIntBits(x);
    }
  }

  /** Subnormal numbers become zero of their sign, in place. */
  public static void flush(float[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      float x = a[k];
      d[k] = Math.abs(x) < Float.MIN_NORMAL ? x * 0f : x;
    }
  }

  /** Clamps to [0, 1] in place; NaN becomes 0. */
  public static void saturate(float[] d) {
    for (int k = 0; k < N; k++) {
      d[k] = FloatBits.saturate(d[k]);
    }
  }

  /** 2^a, after {@code ex2.approx}. */
  public static void exp2(float[] d, float[] a) {
    double[] fractions = new double[N];
    long[] exponents = new long[N];
    // Apart from what follows, which the JIT cannot make vector code of.
    for (int k = 0; k < N; k++) {
      double x = FloatBits.exponent(a[k]);
      double whole = Math.rint(x);
      fractions[k] = FloatBits.exp2Fraction(x - whole);
      exponents[k] = (long) whole;
    }
    for (int k = 0; k < N; k++) {
      d[k] = FloatBits.scaled(fractions[k], exponents[k]);
    }
  }

  public static void ofS32(float[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k];
    }
  }

  public static void ofU32(float[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] & 0xffff_ffffL;
    }
  }

  /** From half precision in the low 16 bits. */
  public static void ofHalf(float[] d, int[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Float.float16ToFloat((short) a[k]);
    }
  }

  /** Truncates towards zero, clamps, and takes NaN as 0. */
  public static void toS32(int[] d, float[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = (int) a[k];
    }
  }
}
