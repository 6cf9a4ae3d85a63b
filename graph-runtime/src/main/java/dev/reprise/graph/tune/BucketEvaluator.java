package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Evaluates sets of buckets for one workload, by sending each of its steps to the bucket that a set
 * gives it. Knows nothing of how a set was chosen.
 */
public final class BucketEvaluator {

  private final StepHistogram workload;
  private final StepCosts costs;
  private final List<StepHistogram.Entry> entries;

  /** What the live rows of each entry's steps take, which is the same in every set. */
  private final double[] liveMicros;

  /** Makes the costs of the steps ready that no set changes. */
  public BucketEvaluator(StepHistogram workload, StepCosts costs) {
    this.workload = workload;
    this.costs = costs;
    this.entries = workload.entries();
    this.liveMicros =
        entries.stream()
            .mapToDouble(entry -> costs.liveMicros(entry.rows(), entry.positions()))
            .toArray();
  }

  /** Evaluates a set. */
  public BucketEvaluation evaluate(BucketSet set) {
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
    for (int i = 0; i < entries.size(); i++) {
      StepHistogram.Entry entry = entries.get(i);
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
      micros += entry.steps() * (replay + liveMicros[i]);
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
}
