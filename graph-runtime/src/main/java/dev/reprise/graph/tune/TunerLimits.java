package dev.reprise.graph.tune;

/**
 * What a tuned set may take.
 *
 * @param graphs the most graphs
 * @param bytes the most device memory for all graphs; {@code Long.MAX_VALUE} for no limit
 * @param contextStep contexts are multiples of this, except the longest; the KV block size fits
 * @param captureWeight how much of the time to capture a graph counts against it: 0 when the set
 *     lives long enough that capturing does not matter, 1 when it serves the workload once
 */
public record TunerLimits(int graphs, long bytes, int contextStep, double captureWeight) {

  /** Checks the ranges. */
  public TunerLimits {
    if (graphs < 0 || graphs > 1024) {
      throw new IllegalArgumentException("The limit on graphs must be 0 to 1024: " + graphs);
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("The limit on bytes must not be negative: " + bytes);
    }
    if (contextStep < 1) {
      throw new IllegalArgumentException("The context step must be at least 1: " + contextStep);
    }
    if (!(captureWeight >= 0 && captureWeight < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "The capture weight must be finite and not negative: " + captureWeight);
    }
  }

  /** A limit on graphs alone, contexts in steps of 16, capturing not counted. */
  public static TunerLimits graphs(int graphs) {
    return new TunerLimits(graphs, Long.MAX_VALUE, 16, 0);
  }
}
