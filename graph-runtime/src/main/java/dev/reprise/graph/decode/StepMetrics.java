package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.Bucket;
import java.util.Map;

/**
 * Counters of steps.
 *
 * @param prefills steps over prompts
 * @param prefillReplays those of them by one graph launch
 * @param eagerPrefills those of them by plain launches, by reason
 * @param replays decode steps by one graph launch
 * @param eager decode steps by plain launches, by reason
 * @param prefillNanos host time of the steps over prompts, each from its launch, or from the end of
 *     the step before, to its own end
 * @param eagerNanos the same of the eager decode steps
 * @param replayNanos the same of the replays
 * @param buckets decode steps by bucket
 * @param uploadedBytes input bytes copied to the device
 * @param audits replays that were compared with an eager run and found equal
 */
public record StepMetrics(
    long prefills,
    long prefillReplays,
    Map<EagerReason, Long> eagerPrefills,
    long replays,
    Map<EagerReason, Long> eager,
    long prefillNanos,
    long eagerNanos,
    long replayNanos,
    Map<Bucket, BucketUse> buckets,
    long uploadedBytes,
    long audits) {

  /** Decode steps by plain launches, whatever the reason. */
  public long eagerSteps() {
    return eager.values().stream().mapToLong(Long::longValue).sum();
  }
}
