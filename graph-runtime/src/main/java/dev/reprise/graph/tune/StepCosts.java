package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;

/**
 * What a decode step costs on one device with one model. Times of a larger shape are never less
 * than those of a smaller one: a bucket that holds another computes everything that it does.
 *
 * <p>A replayed step takes {@link #replayMicros} of its bucket and {@link #liveMicros} of its own
 * shape. A bucket's context need not cost anything by itself: attention that reads each row's own
 * positions takes as long in a bucket of a longer context, and then it is the second part alone
 * that grows with positions.
 */
public interface StepCosts {

  /**
   * Microseconds from the launch of a bucket's graph to its end, padding included, apart from
   * {@link #liveMicros}.
   */
  double replayMicros(Bucket bucket);

  /**
   * Microseconds that a replayed step takes for what its live rows hold, whatever the bucket: the
   * positions that attention reads. 0 where the bucket decides alone.
   */
  default double liveMicros(int rows, int positions) {
    return 0;
  }

  /**
   * Microseconds from the first launch to the end of a step run by plain launches at its own shape.
   */
  double eagerMicros(int rows, int positions);

  /**
   * Over how many blocks attention was spread where the costs of a bucket's shape were found;
   * {@link Bucket#AUTO} where that is not known, and the model decides.
   */
  default int splits(Bucket bucket) {
    return Bucket.AUTO;
  }

  /** Milliseconds to capture, instantiate and upload a bucket's graph. */
  double captureMillis(Bucket bucket);

  /** Bytes of device memory that a bucket's graph takes. */
  long bytes(Bucket bucket);
}
