package dev.reprise.graph.bucket;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * Why a tuned file holds the buckets it holds, for the person who deploys it. Nothing of it changes
 * how the buckets are used.
 *
 * @param made when the file was made
 * @param tool what made it, with its version
 * @param workload the steps it was tuned for
 * @param costs the costs it was tuned with
 * @param limits what the set was allowed to take
 * @param expected what the set means for the workload
 */
public record BucketEvidence(
    Instant made, String tool, Workload workload, Costs costs, Limits limits, Expected expected) {

  /**
   * The steps.
   *
   * @param source where they come from, in words
   * @param steps how many
   * @param maxRows the most rows of a step
   * @param maxPositions one more than the highest position of any step
   */
  public record Workload(String source, long steps, int maxRows, int maxPositions) {}

  /**
   * The costs.
   *
   * @param source where they come from, in words
   * @param measured whether they were measured on the device, and not assumed
   * @param device the device they hold for
   * @param model the model they hold for
   */
  public record Costs(String source, boolean measured, String device, String model) {}

  /**
   * The limits.
   *
   * @param graphs the most graphs
   * @param bytes the most device memory for graphs; empty for no limit
   * @param contextStep contexts are multiples of this
   * @param captureWeight how much of the time to capture counted
   */
  public record Limits(int graphs, OptionalLong bytes, int contextStep, double captureWeight) {}

  /**
   * The expectation.
   *
   * @param meanStepMicros mean time of a step
   * @param paddingShare share of replayed rows that are padding, 0 to 1
   * @param eagerShare share of steps that run by plain launches, 0 to 1
   * @param captureMillis time to capture all graphs
   * @param bytes device memory of all graphs
   */
  public record Expected(
      double meanStepMicros,
      double paddingShare,
      double eagerShare,
      double captureMillis,
      long bytes) {}
}
