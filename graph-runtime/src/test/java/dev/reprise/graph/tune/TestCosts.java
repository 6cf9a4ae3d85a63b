package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;

/** Costs that look like a device's: a fixed part, a part per row and a part per cached position. */
record TestCosts(double eagerMore, long bytesPerGraph, long bytesPerRow) implements StepCosts {

  static TestCosts uniform() {
    return new TestCosts(400, 1000, 0);
  }

  @Override
  public double replayMicros(Bucket bucket) {
    return 300 + 2.5 * bucket.rows() + 0.001 * bucket.rows() * bucket.context();
  }

  @Override
  public double liveMicros(int rows, int positions) {
    return 0.002 * rows * positions;
  }

  @Override
  public double eagerMicros(int rows, int positions) {
    return replayMicros(new Bucket(rows, positions)) + liveMicros(rows, positions) + eagerMore;
  }

  @Override
  public double captureMillis(Bucket bucket) {
    return 3 + 0.01 * bucket.rows();
  }

  @Override
  public long bytes(Bucket bucket) {
    return bytesPerGraph + bytesPerRow * bucket.rows();
  }
}
