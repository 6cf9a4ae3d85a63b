package dev.reprise.softgpu.engine.math;

/** Double precision functions of one value. */
public final class DoubleBits {
  private DoubleBits() {}

  /** The other operand where one is a NaN; -0 is less than +0. */
  static double min(double a, double b) {
    return Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.min(a, b);
  }

  static double max(double a, double b) {
    return Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.max(a, b);
  }

  /** {@code rcp.approx.ftz.f64}: the top 32 bits of 1/a, subnormals taken as zero. */
  public static double approximateReciprocal(double a) {
    return truncated(1 / flush(a));
  }

  /** {@code rsqrt.approx.ftz.f64}. */
  public static double approximateInverseRoot(double a) {
    return truncated(1 / Math.sqrt(flush(a)));
  }

  private static double flush(double a) {
    return Math.abs(a) < Double.MIN_NORMAL ? a * 0 : a;
  }

  private static double truncated(double r) {
    double f = flush(r);
    return Double.isNaN(f) || Double.isInfinite(f)
        ? f
        : Double.longBitsToDouble(Double.doubleToRawLongBits(f) & 0xffff_ffff_0000_0000L);
  }
}
