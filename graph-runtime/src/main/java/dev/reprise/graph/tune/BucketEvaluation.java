package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a set of buckets means for a workload, found by sending each of its steps to the bucket that
 * the set gives it. Knows nothing of how the set was chosen.
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

  /** Evaluates a set. */
  public static BucketEvaluation of(BucketSet set, StepHistogram workload, StepCosts costs) {
    double micros = 0;
    long eager = 0;
    long live = 0;
    long padded = 0;
    Map<Bucket, Long> byBucket = new TreeMap<>(Buckets.BY_SIZE);
    // Entries come by rows and then positions, so that most go where the one before went.
    int rows = 0;
    int reach = 0;
    Optional<Bucket> found = Optional.empty();
    double replay = 0;
    long here = 0;
    for (StepHistogram.Entry entry : workload.entries()) {
      if (entry.rows() != rows || entry.positions() > reach) {
        count(byBucket, found, here);
        here = 0;
        rows = entry.rows();
        reach = set.cell(rows, entry.positions()).map(Bucket::context).orElse(Integer.MAX_VALUE);
        found = set.smallest(rows, entry.positions());
        replay = found.map(costs::replayMicros).orElse(0.0);
      }
      if (found.isEmpty()) {
        micros += entry.steps() * costs.eagerMicros(rows, entry.positions());
        eager += entry.steps();
        continue;
      }
      micros += entry.steps() * (replay + costs.liveMicros(rows, entry.positions()));
      live += entry.steps() * rows;
      padded += entry.steps() * (found.get().rows() - rows);
      here += entry.steps();
    }
    count(byBucket, found, here);
    double capture = 0;
    long bytes = 0;
    for (Bucket bucket : set.largestFirst()) {
      capture += costs.captureMillis(bucket);
      bytes += costs.bytes(bucket);
    }
    return new BucketEvaluation(
        workload.steps(),
        micros,
        set.largestFirst().size(),
        capture,
        bytes,
        eager,
        live,
        padded,
        byBucket);
  }

  private static void count(Map<Bucket, Long> byBucket, Optional<Bucket> bucket, long steps) {
    if (bucket.isPresent() && steps > 0) {
      byBucket.merge(bucket.get(), steps, Long::sum);
    }
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
