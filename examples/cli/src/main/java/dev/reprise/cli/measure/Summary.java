package dev.reprise.cli.measure;

import java.util.Arrays;

/**
 * A sample of one figure.
 *
 * @param count its size
 * @param median the middle
 * @param low lower end of a 95% interval of the median
 * @param high upper end of it
 * @param p10 the value that a tenth is below
 * @param p90 the value that nine tenths are below
 * @param p99 the value that 99 of 100 are below
 */
public record Summary(
    int count, double median, double low, double high, double p10, double p90, double p99) {

  private static final double NORMAL_97_5 = 1.959964;

  /**
   * Percentiles are interpolated between the two nearest values. The interval of the median is that
   * of order statistics, which asks nothing of the distribution; under six values it is all of
   * them, whose coverage is less.
   */
  public static Summary of(double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("a summary needs at least one value");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int n = sorted.length;
    int rank = Math.max(0, (int) Math.floor((n - NORMAL_97_5 * Math.sqrt(n) - 1) / 2));
    return new Summary(
        n,
        percentile(sorted, 0.5),
        sorted[rank],
        sorted[n - 1 - rank],
        percentile(sorted, 0.1),
        percentile(sorted, 0.9),
        percentile(sorted, 0.99));
  }

  private static double percentile(double[] sorted, double share) {
    double at = share * (sorted.length - 1);
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }
}
