package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import java.util.Map;

/**
 * What a set of buckets means for a workload.
 *
 * @param steps steps of the workload
 * @param totalMicros time of all steps
 * @param graphs graphs to capture
 * @param captureMillis time to capture them all
 * @param bytes device memory that they take
 * @param eagerSteps steps that run by plain launches
 * @param liveRows rows of all replayed steps
 * @param paddedRows rows of padding in all replayed steps
 * @param stepsByBucket replayed steps per bucket; a bucket never used is missing
 */
public record BucketEvaluation(
    long steps,
    double totalMicros,
    int graphs,
    double captureMillis,
    long bytes,
    long eagerSteps,
    long liveRows,
    long paddedRows,
    Map<Bucket, Long> stepsByBucket) {

  /** Evaluates a set; for several sets make one {@link BucketEvaluator}. */
  public static BucketEvaluation of(BucketSet set, StepHistogram workload, StepCosts costs) {
    return new BucketEvaluator(workload, costs).evaluate(set);
  }

  /** Mean time of a step in microseconds; 0 for a workload without steps. */
  public double meanStepMicros() {
    return steps == 0 ? 0 : totalMicros / steps;
  }

  /** Share of replayed rows that are padding, 0 to 1. */
  public double paddingShare() {
    long all = liveRows + paddedRows;
    return all == 0 ? 0 : (double) paddedRows / all;
  }
}
