package dev.reprise.softgpu.engine.math;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Operations with a rounding mode. A result of single precision or less is first computed in double
 * rounded to odd, which keeps what any later rounding to at most 51 bits needs to know (Boldo and
 * Melquiond, "Emulation of FMA and correctly rounded sums").
 */
public final class Rounding {
  private Rounding() {}

  /**
   * A binary format: significant bits, least exponent of a normal number, largest finite number.
   */
  public enum Format {
    HALF(11, -14, 65504),
    BFLOAT(8, -126, 0x1.fep127),
    TENSOR(11, -126, 0x1.ffcp127),
    SINGLE(24, -126, Float.MAX_VALUE);

    private final int precision;
    private final int least;
    private final double largest;

    Format(int precision, int least, double largest) {
      this.precision = precision;
      this.least = least;
      this.largest = largest;
    }

    /** The largest finite number. */
    public double largest() {
      return largest;
    }
  }

  /** The value rounded to the format. */
  public static double to(Format format, double v, RoundingMode mode) {
    if (v == 0 || Double.isNaN(v) || Double.isInfinite(v)) {
      return v;
    }
    int quantum = Math.max(Math.getExponent(v), format.least) - (format.precision - 1);
    double r = mode.integral(v * power(-quantum)) * power(quantum);
    if (Math.abs(r) > format.largest) {
      return Math.copySign(
          mode.overflowsToInfinity(v < 0) ? Double.POSITIVE_INFINITY : format.largest, v);
    }
    return r == 0 ? Math.copySign(0.0, v) : r;
  }

  /**
   * The value rounded to the format by random bits.
   *
   * @param random a number of that many bits, 16 at most
   */
  static double randomly(Format format, double v, int random, int bits) {
    if (v == 0 || Double.isNaN(v) || Double.isInfinite(v)) {
      return v;
    }
    int quantum = Math.max(Math.getExponent(v), format.least) - (format.precision - 1);
    double r = RandomBits.whole(Math.abs(v) * power(-quantum), random, bits) * power(quantum);
    return Math.copySign(r > format.largest ? Double.POSITIVE_INFINITY : r, v);
  }

  /** Exponents of singles and of their quanta are far from the limits of double. */
  private static double power(int exponent) {
    return exponent > 1000 || exponent < -1000
        ? Math.scalb(1.0, exponent)
        : Double.longBitsToDouble((long) (exponent + 1023) << 52);
  }

  public static float toFloat(double v, RoundingMode mode) {
    return Double.isNaN(v)
        ? FloatBits.NAN
        : (float) (mode == RoundingMode.RN ? v : to(Format.SINGLE, v, mode));
  }

  /** Half precision bits; NaN is 0x7fff. */
  public static int toHalf(double v, RoundingMode mode) {
    return Double.isNaN(v)
        ? 0x7fff
        : Float.floatToFloat16((float) to(Format.HALF, v, mode)) & 0xffff;
  }

  /** Bfloat16 bits; NaN is 0x7fff. */
  public static int toBfloat(double v, RoundingMode mode) {
    return Double.isNaN(v)
        ? 0x7fff
        : Float.floatToRawIntBits((float) to(Format.BFLOAT, v, mode)) >>> 16;
  }

  public static float ofHalf(int bits) {
    return Float.float16ToFloat((short) bits);
  }

  public static float ofBfloat(int bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /**
   * {@code near}, the double nearest to an exact value that differs from it by something of the
   * sign of {@code error}, rounded to odd.
   */
  private static double odd(double near, double error) {
    if (error == 0 || Double.isNaN(error) || (Double.doubleToRawLongBits(near) & 1) != 0) {
      return near;
    }
    return error > 0 ? Math.nextUp(near) : Math.nextDown(near);
  }

  /** x + y in double, rounded to odd; an exact zero has the sign that the mode asks for. */
  public static double sumOdd(double x, double y, RoundingMode mode) {
    double s = x + y;
    if (s == 0 && mode == RoundingMode.RM && (isPositive(x) != isPositive(y) || x != 0)) {
      return -0.0;
    }
    if (Double.isNaN(s) || Double.isInfinite(s)) {
      return s;
    }
    double yRounded = s - x;
    double error = (x - (s - yRounded)) + (y - yRounded);
    return odd(s, error);
  }

  private static boolean isPositive(double v) {
    return Double.doubleToRawLongBits(v) >= 0;
  }

  public static float add(float a, float b, RoundingMode mode) {
    return toFloat(sumOdd(a, b, mode), mode);
  }

  public static float mul(float a, float b, RoundingMode mode) {
    return toFloat((double) a * b, mode);
  }

  /** a·b + c with one rounding; the product is exact in double. */
  public static float fma(float a, float b, float c, RoundingMode mode) {
    return toFloat(fmaOdd(a, b, c, mode), mode);
  }

  static double fmaOdd(float a, float b, float c, RoundingMode mode) {
    return sumOdd((double) a * b, c, mode);
  }

  public static float div(float a, float b, RoundingMode mode) {
    double q = (double) a / b;
    double rest = Math.fma(-q, b, a);
    return toFloat(odd(q, Double.isInfinite(q) ? 0 : rest * Math.signum(b)), mode);
  }

  public static float sqrt(float a, RoundingMode mode) {
    double s = Math.sqrt(a);
    return toFloat(odd(s, Double.isInfinite(s) ? 0 : Math.fma(-s, s, a)), mode);
  }

  public static double add(double a, double b, RoundingMode mode) {
    return fma(a, 1.0, b, mode);
  }

  public static double mul(double a, double b, RoundingMode mode) {
    double near = a * b;
    return finite(a) && finite(b) && a != 0 && b != 0
        ? round(new BigDecimal(a).multiply(new BigDecimal(b)), near, mode)
        : near;
  }

  public static double fma(double a, double b, double c, RoundingMode mode) {
    double near = Math.fma(a, b, c);
    if (mode == RoundingMode.RN || !finite(a) || !finite(b) || !finite(c)) {
      return near;
    }
    BigDecimal exact = new BigDecimal(a).multiply(new BigDecimal(b)).add(new BigDecimal(c));
    if (exact.signum() == 0) {
      boolean bothNegative = !isPositive(a * b) && !isPositive(c);
      boolean bothPositive = isPositive(a * b) && isPositive(c);
      return bothNegative || (mode == RoundingMode.RM && !bothPositive) ? -0.0 : 0.0;
    }
    return round(exact, near, mode);
  }

  public static double div(double a, double b, RoundingMode mode) {
    double near = a / b;
    if (mode == RoundingMode.RN || !finite(a) || !finite(b) || a == 0 || b == 0) {
      return near;
    }
    // near·b compared with a tells on which side the exact quotient lies.
    BigDecimal side =
        finite(near)
            ? new BigDecimal(a).subtract(new BigDecimal(near).multiply(new BigDecimal(b)))
            : BigDecimal.ZERO;
    int sign = finite(near) ? side.signum() * (b < 0 ? -1 : 1) : near > 0 ? -1 : 1;
    return nudge(near, sign, mode);
  }

  public static double sqrt(double a, RoundingMode mode) {
    double near = Math.sqrt(a);
    if (mode == RoundingMode.RN || !finite(near) || near == 0) {
      return near;
    }
    int sign = new BigDecimal(a).compareTo(new BigDecimal(near).multiply(new BigDecimal(near)));
    return nudge(near, sign, mode);
  }

  private static boolean finite(double v) {
    return Math.abs(v) <= Double.MAX_VALUE;
  }

  private static double round(BigDecimal exact, double near, RoundingMode mode) {
    int side = finite(near) ? exact.compareTo(new BigDecimal(near)) : near > 0 ? -1 : 1;
    return nudge(near, side, mode);
  }

  /**
   * {@code near} is the double nearest to an exact value; {@code side} says on which side of it
   * that value lies.
   */
  private static double nudge(double near, int side, RoundingMode mode) {
    if (side == 0) {
      return near;
    }
    return switch (mode) {
      case RN, RNA -> near;
      case RM -> side < 0 ? Math.nextDown(near) : near;
      case RP -> side > 0 ? Math.nextUp(near) : near;
      case RZ -> {
        boolean positive = near > 0 || (near == 0 && side > 0);
        yield positive
            ? (side < 0 ? Math.nextDown(near) : near)
            : side > 0 ? Math.nextUp(near) : near;
      }
    };
  }

  /** An integer in double, rounded to odd, so that it can be rounded again. */
  static double integerOdd(long v, boolean unsigned) {
    if (!unsigned || v >= 0) {
      double near = (double) v;
      // 2^63 itself has no long; what rounds to it lies below.
      double error = near == 0x1p63 ? -1 : (double) (v - (long) near);
      return odd(near, error);
    }
    // The lowest bit only matters as being there.
    return 2 * integerOdd((v >>> 1) | (v & 1), false);
  }

  /** An integer as a double, with the rounding mode. */
  public static double integerToDouble(long v, boolean unsigned, RoundingMode mode) {
    BigInteger exact = new BigInteger(unsigned ? Long.toUnsignedString(v) : Long.toString(v));
    double near = exact.doubleValue();
    return nudge(near, new BigDecimal(exact).compareTo(new BigDecimal(near)), mode);
  }
}
