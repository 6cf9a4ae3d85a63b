package dev.reprise.cli.gpucheck;

import java.util.Arrays;

/** Measurements of one figure as they come. */
final class Sample {

  private double[] values = new double[64];
  private int count;

  void add(double value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  /** Forgets them, after a warm-up. */
  void clear() {
    count = 0;
  }

  Summary summary() {
    return Summary.of(Arrays.copyOf(values, count));
  }
}
