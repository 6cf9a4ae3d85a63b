package dev.reprise.softgpu.engine.math;

/**
 * Double precision, round to nearest even, lane by lane; comparisons give a bit for each lane and
 * are false for NaN.
 */
public final class DoubleLanes {
  private static final int N = 32;

  private DoubleLanes() {}

  public static void mov(double[] d, double[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k];
    }
  }

  public static void neg(double[] d, double[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = -a[k];
    }
  }

  public static void abs(double[] d, double[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.abs(a[k]);
    }
  }

  public static void sqrt(double[] d, double[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.sqrt(a[k]);
    }
  }

  public static void rcp(double[] d, double[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = 1 / a[k];
    }
  }

  public static void add(double[] d, double[] a, double[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] + b[k];
    }
  }

  public static void sub(double[] d, double[] a, double[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] - b[k];
    }
  }

  public static void mul(double[] d, double[] a, double[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] * b[k];
    }
  }

  public static void div(double[] d, double[] a, double[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = a[k] / b[k];
    }
  }

  public static void min(double[] d, double[] a, double[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = DoubleBits.min(a[k], b[k]);
    }
  }

  public static void max(double[] d, double[] a, double[] b) {
    for (int k = 0; k < N; k++) {
      d[k] = DoubleBits.max(a[k], b[k]);
    }
  }

  public static void fma(double[] d, double[] a, double[] b, double[] c) {
    for (int k = 0; k < N; k++) {
      d[k] = Math.fma(a[k], b[k], c[k]);
    }
  }

  public static int eq(double[] a, double[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] == b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int lt(double[] a, double[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] < b[k] ? 1 : 0) << k;
    }
    return r;
  }

  public static int le(double[] a, double[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (a[k] <= b[k] ? 1 : 0) << k;
    }
    return r;
  }

  /** Lanes where neither operand is a NaN. */
  public static int ordered(double[] a, double[] b) {
    int r = 0;
    for (int k = 0; k < N; k++) {
      r |= (!Double.isNaN(a[k]) && !Double.isNaN(b[k]) ? 1 : 0) << k;
    }
    return r;
  }

  /** {@code a} in the lanes of the mask, {@code b} in the others. */
  public static void select(double[] d, double[] a, double[] b, int mask) {
    for (int k = 0; k < N; k++) {
      d[k] = (mask >>> k & 1) != 0 ? a[k] : b[k];
    }
  }

  public static void toBits(long[] d, double[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Double.doubleToRawLongBits(a[k]);
    }
  }

  public static void ofBits(double[] d, long[] a) {
    for (int k = 0; k < N; k++) {
      d[k] = Double.longBitsToDouble(a[k]);
    }
  }

  /** Function of one operand. */
  @FunctionalInterface
  public interface Unary {
    double apply(double a);
  }

  /** Function of two operands. */
  @FunctionalInterface
  public interface Binary {
    double apply(double a, double b);
  }

  /** Function of three operands. */
  @FunctionalInterface
  public interface Ternary {
    double apply(double a, double b, double c);
  }

  /** For instructions too rare for a loop of their own. */
  public static void map(double[] d, double[] a, Unary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k]);
    }
  }

  public static void map(double[] d, double[] a, double[] b, Binary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k], b[k]);
    }
  }

  public static void map(double[] d, double[] a, double[] b, double[] c, Ternary op) {
    for (int k = 0; k < N; k++) {
      d[k] = op.apply(a[k], b[k], c[k]);
    }
  }
}
