package dev.reprise.cli.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.tune.BucketEvaluation;
import dev.reprise.graph.tune.StepCosts;
import dev.reprise.graph.tune.StepHistogram;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Why a bucket is in a set or not: the same workload with it and without it.
 *
 * @param bucket the bucket
 * @param state what it is in the tuned set
 * @param steps steps that it takes, or would take
 * @param liveRows rows of those steps that are live, together
 * @param withMicros time of the whole workload with it
 * @param withoutMicros time of the whole workload without it
 * @param captureMillis time to capture it
 * @param breakEvenSteps steps from which on capturing it pays; empty when it saves nothing
 * @param elsewhere where its steps run without it
 */
record Explanation(
    Bucket bucket,
    State state,
    long steps,
    long liveRows,
    double withMicros,
    double withoutMicros,
    double captureMillis,
    OptionalLong breakEvenSteps,
    List<Elsewhere> elsewhere) {

  /** What a bucket is in a set. */
  enum State {
    /** Captured and replayed. */
    REPLAYED("in"),
    /** A cell whose steps run by plain launches. */
    EAGER("eager"),
    /** Not in the set. */
    ABSENT("out");

    private final String label;

    State(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /**
   * Where steps run instead.
   *
   * @param bucket the bucket that takes them; empty for plain launches
   * @param steps how many
   */
  record Elsewhere(Optional<Bucket> bucket, long steps) {}

  /** Explains a bucket of a set. */
  static Explanation of(Bucket bucket, BucketSet set, StepHistogram workload, StepCosts costs) {
    List<Bucket> replayed = new ArrayList<>(set.largestFirst());
    List<Bucket> eager = new ArrayList<>(set.eager());
    State state =
        replayed.contains(bucket)
            ? State.REPLAYED
            : eager.contains(bucket) ? State.EAGER : State.ABSENT;
    Optional<BucketSet> without = Optional.of(set);
    if (state == State.REPLAYED) {
      replayed.remove(bucket);
      without = replayed.isEmpty() && eager.isEmpty() ? Optional.empty() : some(replayed, eager);
    }
    List<Bucket> withReplayed = new ArrayList<>(replayed);
    withReplayed.add(bucket);
    List<Bucket> withEager = new ArrayList<>(eager);
    withEager.remove(bucket);
    BucketSet with = BucketSet.of(withReplayed, withEager);

    long steps = 0;
    long liveRows = 0;
    double withMicros = 0;
    double withoutMicros = 0;
    Map<Optional<Bucket>, Long> elsewhere = new TreeMap<>(Comparator.comparing(Explanation::order));
    for (StepHistogram.Entry entry : workload.entries()) {
      if (with.smallest(entry.rows(), entry.positions()).filter(bucket::equals).isPresent()) {
        steps += entry.steps();
        liveRows += entry.steps() * entry.rows();
        double live = costs.liveMicros(entry.rows(), entry.positions());
        withMicros += entry.steps() * (costs.replayMicros(bucket) + live);
        Optional<Bucket> other =
            without.flatMap(found -> found.smallest(entry.rows(), entry.positions()));
        elsewhere.merge(other, entry.steps(), Long::sum);
        withoutMicros +=
            entry.steps()
                * other
                    .map(found -> costs.replayMicros(found) + live)
                    .orElseGet(() -> costs.eagerMicros(entry.rows(), entry.positions()));
      }
    }
    double saved = withoutMicros - withMicros;
    double total = BucketEvaluation.of(set, workload, costs).totalMicros();
    double whole = state == State.REPLAYED ? total : total - saved;
    return new Explanation(
        bucket,
        state,
        steps,
        liveRows,
        whole,
        whole + saved,
        costs.captureMillis(bucket),
        breakEven(costs.captureMillis(bucket) * 1000, saved, steps),
        elsewhere.entrySet().stream().map(e -> new Elsewhere(e.getKey(), e.getValue())).toList());
  }

  private static Optional<BucketSet> some(List<Bucket> replayed, List<Bucket> eager) {
    return Optional.of(BucketSet.of(replayed, eager));
  }

  private static long order(Optional<Bucket> bucket) {
    return bucket.map(b -> (long) b.rows() << 32 | b.context()).orElse(Long.MAX_VALUE);
  }

  private static OptionalLong breakEven(double captureMicros, double saved, long steps) {
    return saved > 0
        ? OptionalLong.of((long) Math.ceil(captureMicros / (saved / steps)))
        : OptionalLong.empty();
  }

  /** Share of the rows that are padding in its steps, 0 to 1. */
  double paddingShare() {
    return steps == 0 ? 0 : 1 - (double) liveRows / ((double) steps * bucket.rows());
  }
}
