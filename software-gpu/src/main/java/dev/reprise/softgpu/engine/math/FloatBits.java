package dev.reprise.softgpu.engine.math;

/** Single precision functions of one value. */
public final class FloatBits {
  /** PTX's NaN: the result of every single-precision instruction that yields one. */
  public static final float NAN = Float.intBitsToFloat(0x7fff_ffff);

  private FloatBits() {}

  /** The other operand where one is a NaN; -0 is less than +0. */
  public static float min(float a, float b) {
    return Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.min(a, b);
  }

  public static float max(float a, float b) {
    return Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.max(a, b);
  }

  /** {@code .xorsign.abs}: of the sizes, with the signs of both multiplied; NaN as it comes. */
  public static float xorSign(float a, float b, FloatLanes.Binary op) {
    float r = op.apply(Math.abs(a), Math.abs(b));
    boolean negative = (Float.floatToRawIntBits(a) ^ Float.floatToRawIntBits(b)) < 0;
    return Float.isNaN(r) ? r : negative ? -r : r;
  }

  /** A subnormal value becomes zero of its sign. */
  public static float flush(float a) {
    return Math.abs(a) < Float.MIN_NORMAL ? a * 0f : a;
  }

  static float saturate(float a) {
    return a > 0 ? Math.min(a, 1) : 0;
  }

  /** 2^a, the nearest float but for near ties; NaN passes through. */
  public static float exp2(float a) {
    double x = exponent(a);
    double whole = Math.rint(x);
    return scaled(exp2Fraction(x - whole), (long) whole);
  }

  /** The operand as an exponent whose power of 2 is out of range where its own is. */
  static double exponent(float a) {
    return Math.max(Math.min(a, 200f), -200f);
  }

  /**
   * 2^r for r of at most 1/2 in size: the Taylor series, whose first omitted term is below 1e-13.
   */
  static double exp2Fraction(double r) {
    double t = r * LN2;
    double p = 1.0 / 479001600;
    p = Math.fma(p, t, 1.0 / 39916800);
    p = Math.fma(p, t, 1.0 / 3628800);
    p = Math.fma(p, t, 1.0 / 362880);
    p = Math.fma(p, t, 1.0 / 40320);
    p = Math.fma(p, t, 1.0 / 5040);
    p = Math.fma(p, t, 1.0 / 720);
    p = Math.fma(p, t, 1.0 / 120);
    p = Math.fma(p, t, 1.0 / 24);
    p = Math.fma(p, t, 1.0 / 6);
    p = Math.fma(p, t, 0.5);
    p = Math.fma(p, t, 1);
    return Math.fma(p, t, 1);
  }

  /** {@code p} times 2^exponent. */
  static float scaled(double p, long exponent) {
    return (float) (p * Double.longBitsToDouble((exponent + 1023) << 52));
  }

  static final double LN2 = 0.6931471805599453;

  public static float log2(float a) {
    return (float) (Math.log(a) / LN2);
  }

  public static float rsqrt(float a) {
    return (float) (1 / Math.sqrt(a));
  }
}
