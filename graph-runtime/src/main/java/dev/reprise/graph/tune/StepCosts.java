package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;

/**
 * What a decode step costs on one device with one model. Times of a larger shape are never less
 * than those of a smaller one: a bucket that holds another computes everything that it does.
 */
public interface StepCosts {

  /** Microseconds from the launch of a bucket's graph to its end, padding included. */
  double replayMicros(Bucket bucket);

  /**
   * Microseconds from the first launch to the end of a step run by plain launches at its own shape.
   */
  double eagerMicros(int rows, int positions);

  /** Milliseconds to capture, instantiate and upload a bucket's graph. */
  double captureMillis(Bucket bucket);

  /** Bytes of device memory that a bucket's graph takes. */
  long bytes(Bucket bucket);
}
