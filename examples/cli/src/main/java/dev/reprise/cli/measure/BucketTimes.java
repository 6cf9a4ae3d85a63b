package dev.reprise.cli.measure;

import dev.reprise.graph.bucket.Bucket;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * What the step of a bucket costs to make and to run, all rows live; microseconds of the host.
 *
 * @param bucket the bucket
 * @param nodes nodes of its graph
 * @param deviceBytes the most device memory that any of its captures took
 * @param capture of the capture
 * @param instantiate of the instantiation
 * @param upload from the upload to its completion
 * @param firstReplay of the first replay, to its completion
 * @param steps of later steps, to their completion
 */
public record BucketTimes(
    Bucket bucket,
    int nodes,
    long deviceBytes,
    Summary capture,
    Summary instantiate,
    Summary upload,
    Summary firstReplay,
    Map<StepArm, Summary> steps) {

  /** The steps of an arm that was measured. */
  public Summary steps(StepArm arm) {
    return Objects.requireNonNull(steps.get(arm), () -> arm + " was not measured");
  }

  /** To capture, instantiate and upload: the sum of the medians. */
  public double makingMicros() {
    return capture.median() + instantiate.median() + upload.median();
  }

  /**
   * Tokens after which the graph has paid for itself: each step gives one for each row and saves
   * the difference of the medians.
   *
   * @return empty if a replay saves nothing
   */
  public OptionalLong breakEvenTokens(StepArm replayed, StepArm eager) {
    double saved = steps(eager).median() - steps(replayed).median();
    return saved <= 0
        ? OptionalLong.empty()
        : OptionalLong.of((long) Math.ceil(makingMicros() / saved) * bucket.rows());
  }
}
