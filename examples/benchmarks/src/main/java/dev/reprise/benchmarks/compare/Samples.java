package dev.reprise.benchmarks.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Measurements of several processes, several of each. */
final class Samples {

  private static final int RESAMPLES = 2000;
  private static final double TAIL = 0.025;
  private static final long SEED = 20260101;

  /** The middle and the bounds of its 95% confidence interval. */
  record Estimate(double median, double low, double high) {}

  private final List<double[]> processes = new ArrayList<>();

  void add(double[] process) {
    if (process.length > 0) {
      processes.add(process.clone());
    }
  }

  boolean isEmpty() {
    return processes.isEmpty();
  }

  double[] sorted() {
    return processes.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
  }

  /**
   * The median of all, with an interval by the bootstrap: processes are drawn first, then
   * measurements of each that was drawn, since those of one process are more alike than those of
   * two. Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13.
   */
  Estimate estimate() {
    SplittableRandom random = new SplittableRandom(SEED);
    double[] medians = new double[RESAMPLES];
    for (int i = 0; i < RESAMPLES; i++) {
      medians[i] = median(resample(random));
    }
    Arrays.sort(medians);
    return new Estimate(median(sorted()), quantile(medians, TAIL), quantile(medians, 1 - TAIL));
  }

  private double[] resample(SplittableRandom random) {
    return processes.stream()
        .map(any -> processes.get(random.nextInt(processes.size())))
        .flatMapToDouble(
            process -> Arrays.stream(process).map(any -> process[random.nextInt(process.length)]))
        .sorted()
        .toArray();
  }

  private static double median(double[] sorted) {
    return quantile(sorted, 0.5);
  }

  /** With linear interpolation between the two nearest. */
  static double quantile(double[] sorted, double part) {
    double position = part * (sorted.length - 1);
    int below = (int) position;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
  }
}
