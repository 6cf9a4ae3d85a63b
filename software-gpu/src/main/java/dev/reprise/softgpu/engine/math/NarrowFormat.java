package dev.reprise.softgpu.engine.math;

import java.util.function.DoubleUnaryOperator;

/**
 * Floating point formats of at most 8 bits: values to float, exactly, and double to bits, rounded
 * once (PTX ISA, "Alternate Floating-Point Data Formats").
 */
public enum NarrowFormat {
  E4M3(4, 3, 7, 0x7e, 0x7f),
  E5M2(5, 2, 15, 0x7b, 0x7f),
  E3M2(3, 2, 3, 0x1f, -1),
  E2M3(2, 3, 1, 0x1f, -1),
  E2M1(2, 1, 1, 0x07, -1);

  private final int mantissa;
  private final int bias;
  private final int largest;
  private final int nan;
  private final int sign;

  /**
   * @param largest bits of the largest finite number
   * @param nan bits of the NaN, -1 where the format has none
   */
  NarrowFormat(int exponent, int mantissa, int bias, int largest, int nan) {
    this.mantissa = mantissa;
    this.bias = bias;
    this.largest = largest;
    this.nan = nan;
    sign = 1 << (exponent + mantissa);
  }

  /** Bits that a value takes, its sign included. */
  public int bits() {
    return Integer.numberOfTrailingZeros(sign) + 1;
  }

  public float decode(int bits) {
    int size = bits & (sign - 1);
    float value;
    if (size <= largest) {
      int exponent = size >> mantissa;
      int fraction = size & ((1 << mantissa) - 1);
      value =
          exponent == 0
              ? Math.scalb((float) fraction, 1 - bias - mantissa)
              : Math.scalb((float) (fraction + (1 << mantissa)), exponent - bias - mantissa);
    } else {
      // E5M2 has an infinity between its finite numbers and its NaNs.
      value = this == E5M2 && size == 0x7c ? Float.POSITIVE_INFINITY : FloatBits.NAN;
    }
    return (bits & sign) != 0 && !Float.isNaN(value) ? -value : value;
  }

  /**
   * To nearest even; what is too large, infinities included, becomes the largest finite number
   * ({@code .satfinite}), and NaN too where the format has none.
   */
  public int encode(double v) {
    return encode(v, Math::rint);
  }

  /** As {@link #encode(double)}, rounded by 16 random bits. */
  public int encodeRandomly(double v, int random) {
    return encode(v, size -> RandomBits.whole(size, random, 16));
  }

  private int encode(double v, DoubleUnaryOperator whole) {
    if (Double.isNaN(v)) {
      return nan >= 0 ? nan : largest;
    }
    int negative = Double.doubleToRawLongBits(v) < 0 ? sign : 0;
    double size = Math.abs(v);
    double most = decode(largest);
    if (size >= most) {
      return negative | largest;
    }
    int exponent = Math.max(size == 0 ? -1074 : Math.getExponent(size), 1 - bias);
    int units = (int) whole.applyAsDouble(size * Math.scalb(1.0, mantissa - exponent));
    // Rounding up to the next power of two carries into the exponent by itself.
    return negative | (units + (exponent + bias - 1 << mantissa));
  }

  /** Powers of two, 2^(bits - 127); 255 is NaN. */
  public static float decodePower(int bits) {
    int b = bits & 0xff;
    return b == 0xff ? FloatBits.NAN : (float) Math.scalb(1.0, b - 127);
  }

  /**
   * The size of the value as a power of two below or, {@code up}, above it; what is too large is
   * 2^127 where it saturates, else the bits of NaN.
   */
  public static int encodePower(float v, boolean up, boolean saturate) {
    if (Float.isNaN(v)) {
      return 0xff;
    }
    float size = Math.abs(v);
    if (Float.isInfinite(size)) {
      return saturate ? 0xfe : 0xff;
    }
    if (size < 0x1p-126f) {
      // 2^-127 is the least; what lies above it is rounded like everything else.
      return up && size > 0x1p-127f ? 1 : 0;
    }
    int exponent = Math.getExponent(size);
    boolean exact = (Float.floatToRawIntBits(size) & 0x7f_ffff) == 0;
    return Math.min(exponent + 127 + (up && !exact ? 1 : 0), saturate ? 0xfe : 0xff);
  }
}
