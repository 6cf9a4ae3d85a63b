package dev.reprise.cli.measure;

/**
 * A line through points by least squares, {@code y = intercept + slope · x}, with the half widths
 * of the 95% intervals of both numbers (Student's t on the scatter about the line).
 *
 * @param intercept value at 0
 * @param slope rise for each unit
 * @param interceptError half width of the interval of the intercept
 * @param slopeError half width of the interval of the slope
 * @param rSquared share of the variance that the line explains
 */
public record LineFit(
    double intercept, double slope, double interceptError, double slopeError, double rSquared) {

  /** 97.5% points of Student's t for 1 to 30 degrees of freedom. */
  private static final double[] T = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };

  /** Fits at least three points of at least two different {@code x}. */
  public static LineFit of(double[] x, double[] y) {
    int n = x.length;
    if (n < 3 || y.length != n) {
      throw new IllegalArgumentException(
          "a line needs three points or more: %d x, %d y".formatted(n, y.length));
    }
    double meanX = mean(x);
    double meanY = mean(y);
    double sxx = 0;
    double sxy = 0;
    double syy = 0;
    for (int i = 0; i < n; i++) {
      sxx += (x[i] - meanX) * (x[i] - meanX);
      sxy += (x[i] - meanX) * (y[i] - meanY);
      syy += (y[i] - meanY) * (y[i] - meanY);
    }
    if (sxx == 0) {
      throw new IllegalArgumentException("a line needs points at different x, not all at " + x[0]);
    }
    double slope = sxy / sxx;
    double intercept = meanY - slope * meanX;
    double residual = 0;
    for (int i = 0; i < n; i++) {
      double r = y[i] - intercept - slope * x[i];
      residual += r * r;
    }
    double variance = residual / (n - 2);
    double t = T[Math.min(n - 2, T.length) - 1];
    return new LineFit(
        intercept,
        slope,
        t * Math.sqrt(variance * (1.0 / n + meanX * meanX / sxx)),
        t * Math.sqrt(variance / sxx),
        syy == 0 ? 1 : 1 - residual / syy);
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }
}
