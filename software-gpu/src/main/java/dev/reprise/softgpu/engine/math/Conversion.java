package dev.reprise.softgpu.engine.math;

/** Conversions between numbers (PTX ISA, "cvt"). */
public final class Conversion {
  private Conversion() {}

  /**
   * Floating point to an integer of {@code bits} bits: rounded, then clamped to the range.
   *
   * @param nanAsZero what a NaN gives: 0, or the most negative bit pattern where source or
   *     destination has 64 bits
   */
  public static long toInteger(
      double v, RoundingMode mode, int bits, boolean signed, boolean nanAsZero) {
    if (Double.isNaN(v)) {
      return nanAsZero ? 0 : (signed ? -1L : 1L) << (bits - 1);
    }
    double r = mode.integral(v);
    if (signed) {
      return clamp((long) r, bits, true);
    }
    if (r <= 0) {
      return 0;
    }
    if (bits < 64) {
      return Math.min((long) r, (1L << bits) - 1);
    }
    return r >= 0x1p64 ? -1 : r >= 0x1p63 ? (long) (r - 0x1p63) + Long.MIN_VALUE : (long) r;
  }

  /** A signed value clamped to a range of at most 64 bits. */
  public static long clamp(long v, int bits, boolean signed) {
    if (signed) {
      return bits == 64 ? v : Math.clamp(v, -1L << (bits - 1), (1L << (bits - 1)) - 1);
    }
    return v < 0 ? 0 : bits == 64 ? v : Math.min(v, (1L << bits) - 1);
  }

  /** An unsigned value clamped to a range of at most 64 bits. */
  public static long clampUnsigned(long v, int bits, boolean signed) {
    int valueBits = signed ? bits - 1 : bits;
    if (valueBits == 64) {
      return v;
    }
    long most = (1L << valueBits) - 1;
    return Long.compareUnsigned(v, most) > 0 ? most : v;
  }

  /** An integer to single precision. */
  public static float toFloat(long v, boolean unsigned, RoundingMode mode) {
    return Rounding.toFloat(Rounding.integerOdd(v, unsigned), mode);
  }

  /** An integer to one of the 16-bit formats. */
  public static int toHalf(HalfFormat format, long v, boolean unsigned, RoundingMode mode) {
    return format.encode(Rounding.integerOdd(v, unsigned), mode);
  }

  /** An integer to double precision. */
  public static double toDouble(long v, boolean unsigned, RoundingMode mode) {
    return mode == RoundingMode.RN && !unsigned
        ? (double) v
        : Rounding.integerToDouble(v, unsigned, mode);
  }
}
