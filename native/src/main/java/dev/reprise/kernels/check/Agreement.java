package dev.reprise.kernels.check;

/**
 * How far results are from their references.
 *
 * @param elements how many were compared
 * @param maxAbsolute the largest difference
 * @param maxRelative the largest difference relative to its reference, where that is not 0
 * @param ofTolerance the largest difference relative to what is allowed there; infinite where a
 *     result has to be exact and is not, or where only one of the two is NaN
 * @param detail the element that {@code ofTolerance} is of; empty without a difference
 */
public record Agreement(
    long elements, double maxAbsolute, double maxRelative, double ofTolerance, String detail) {

  /** Whether every difference is within what is allowed. */
  public boolean holds() {
    return ofTolerance <= 1;
  }

  /** Results whose differences may be {@code absolute + relative · |reference|}. */
  static Agreement within(
      String what, float[] actual, double[] expected, double relative, double absolute) {
    double[] allowed = new double[expected.length];
    for (int i = 0; i < expected.length; i++) {
      allowed[i] = absolute + relative * Math.abs(expected[i]);
    }
    return of(what, widened(actual), expected, allowed);
  }

  /** Results whose differences may be {@code relative} of a magnitude of their own. */
  static Agreement within(
      String what, float[] actual, double[] expected, double[] magnitude, double relative) {
    double[] allowed = new double[expected.length];
    for (int i = 0; i < expected.length; i++) {
      allowed[i] = relative * magnitude[i] + Float.MIN_VALUE;
    }
    return of(what, widened(actual), expected, allowed);
  }

  /** Results that must be the references themselves. */
  static Agreement exact(String what, float[] actual, double[] expected) {
    return of(what, widened(actual), expected, new double[expected.length]);
  }

  /** Results that must be the references themselves. */
  static Agreement exact(String what, int[] actual, int[] expected) {
    return of(what, widened(actual), widened(expected), new double[expected.length]);
  }

  /** Both together. */
  Agreement and(Agreement other) {
    return new Agreement(
        elements + other.elements,
        Math.max(maxAbsolute, other.maxAbsolute),
        Math.max(maxRelative, other.maxRelative),
        Math.max(ofTolerance, other.ofTolerance),
        ofTolerance >= other.ofTolerance ? detail : other.detail);
  }

  private static Agreement of(String what, double[] actual, double[] expected, double[] allowed) {
    if (actual.length != expected.length) {
      throw new IllegalArgumentException(
          "%s: %d results for %d references".formatted(what, actual.length, expected.length));
    }
    double maxAbsolute = 0;
    double maxRelative = 0;
    double worst = 0;
    int worstAt = -1;
    for (int i = 0; i < actual.length; i++) {
      double difference = difference(actual[i], expected[i]);
      if (difference == 0) {
        continue;
      }
      maxAbsolute = Math.max(maxAbsolute, difference);
      if (expected[i] != 0) {
        maxRelative = Math.max(maxRelative, difference / Math.abs(expected[i]));
      }
      double share = Double.isInfinite(difference) ? difference : difference / allowed[i];
      if (share > worst) {
        worst = share;
        worstAt = i;
      }
    }
    String detail =
        worstAt < 0
            ? ""
            : "%s[%d] is %s, and should be %s"
                .formatted(what, worstAt, actual[worstAt], expected[worstAt]);
    return new Agreement(actual.length, maxAbsolute, maxRelative, worst, detail);
  }

  /** Of two NaN, or two infinities of one sign, none; of one NaN, infinite. */
  private static double difference(double actual, double expected) {
    if (actual == expected || Double.isNaN(actual) && Double.isNaN(expected)) {
      return 0;
    }
    double difference = Math.abs(actual - expected);
    return Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference;
  }

  private static double[] widened(float[] values) {
    double[] wide = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      wide[i] = values[i];
    }
    return wide;
  }

  private static double[] widened(int[] values) {
    double[] wide = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      wide[i] = values[i];
    }
    return wide;
  }
}
