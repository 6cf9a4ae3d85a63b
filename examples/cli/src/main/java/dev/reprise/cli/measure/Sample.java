package dev.reprise.cli.measure;

import java.util.Arrays;

/** Measurements of one figure as they come. */
public final class Sample {

  private double[] values = new double[64];
  private int count;

  /** Adds one. */
  public void add(double value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  /** Forgets them, after a warm-up. */
  public void clear() {
    count = 0;
  }

  /** Sums up what there is, at least one. */
  public Summary summary() {
    return Summary.of(Arrays.copyOf(values, count));
  }
}
