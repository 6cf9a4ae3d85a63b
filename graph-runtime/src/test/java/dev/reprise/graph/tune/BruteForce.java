package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Every set of cells over given sizes, written without any of the tuner's ideas. */
final class BruteForce {

  private final int[] rows;
  private final int[] contexts;

  BruteForce(int[] rows, int[] contexts) {
    this.rows = rows;
    this.contexts = contexts;
  }

  /** The least total time of any set that keeps to the limits. */
  double least(StepHistogram workload, StepCosts costs, TunerLimits limits) {
    double[] least = {Double.POSITIVE_INFINITY};
    eachSet(set -> {
      BucketEvaluation evaluation = BucketEvaluation.of(set, workload, costs);
      if (evaluation.graphs() <= limits.graphs() && evaluation.bytes() <= limits.bytes()) {
        double total =
            evaluation.totalMicros() + limits.captureWeight() * 1000 * evaluation.captureMillis();
        least[0] = Math.min(least[0], total);
      }
    });
    return least[0];
  }

  private void eachSet(Consumer<BucketSet> visitor) {
    addBand(0, new ArrayList<>(), new ArrayList<>(), visitor);
  }

  /** Chooses for one row count: no band, or any cells that reach the longest context. */
  private void addBand(
      int row, List<Bucket> replayed, List<Bucket> eager, Consumer<BucketSet> visitor) {
    if (row == rows.length) {
      if (!replayed.isEmpty() || !eager.isEmpty()) {
        visitor.accept(BucketSet.of(replayed, eager));
      }
      return;
    }
    if (row < rows.length - 1) {
      addBand(row + 1, replayed, eager, visitor);
    }
    addCell(row, 0, replayed, eager, visitor);
  }

  private void addCell(
      int row,
      int context,
      List<Bucket> replayed,
      List<Bucket> eager,
      Consumer<BucketSet> visitor) {
    if (context == contexts.length) {
      addBand(row + 1, replayed, eager, visitor);
      return;
    }
    if (context < contexts.length - 1) {
      addCell(row, context + 1, replayed, eager, visitor);
    }
    Bucket bucket = new Bucket(rows[row], contexts[context]);
    for (List<Bucket> kind : List.of(replayed, eager)) {
      kind.add(bucket);
      addCell(row, context + 1, replayed, eager, visitor);
      kind.removeLast();
    }
  }
}
