package dev.reprise.cli.tune;

import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.tune.BucketEvaluation;
import dev.reprise.graph.tune.TunedBuckets;
import dev.reprise.graph.tune.TunerLimits;
import java.util.List;
import java.util.Optional;

/**
 * What was tuned, with what, and how it compares.
 *
 * @param workload the steps
 * @param costs the costs
 * @param limits the limits
 * @param set the set that was found
 * @param tuned what it means for the workload
 * @param comparisons other lists, each beside a tuned set of as many graphs
 * @param curve the best sets without a limit on bytes, by number of graphs
 * @param explanation of the bucket asked for
 * @param tuneSeconds time that the tuner took for the set
 */
record TuneReport(
    StepSource workload,
    CostSource costs,
    TunerLimits limits,
    BucketSet set,
    BucketEvaluation tuned,
    List<Comparison> comparisons,
    List<Point> curve,
    Optional<Explanation> explanation,
    double tuneSeconds) {

  /**
   * A list that another system captures.
   *
   * @param name the system
   * @param theirs what its list means for the workload
   * @param ours what the best set of at most as many graphs means, without a limit on bytes
   */
  record Comparison(String name, BucketEvaluation theirs, BucketEvaluation ours) {}

  /**
   * A point of the curve.
   *
   * @param graphs the most graphs
   * @param meanStepMicros mean time of a step, weighted capturing included
   */
  record Point(int graphs, double meanStepMicros) {

    static Point of(TunedBuckets.Choice choice, long steps) {
      return new Point(choice.graphs(), choice.totalMicros() / steps);
    }
  }
}
