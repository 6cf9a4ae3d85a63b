package dev.reprise.graph.decode;

import dev.reprise.graph.cache.CaptureCost;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counters of a decode loop since it was created.
 *
 * @param prefillSteps steps over prompts
 * @param eagerSteps decode steps by plain launches
 * @param replays decode steps by one graph launch
 * @param captures each captured step with what it cost, by its shape, in order
 * @param captureFailures how often a capture failed, by reason; such a step ran eagerly
 * @param liveRows live rows of all steps
 * @param paddingRows padding rows of all steps
 * @param uploadedBytes input bytes copied to the device
 * @param kvBytes device bytes of the KV pool
 * @param workspaceBytes device bytes of the workspace
 */
public record DecodeStatistics(
    long prefillSteps,
    long eagerSteps,
    long replays,
    Map<StepShape, CaptureCost> captures,
    Map<String, Long> captureFailures,
    long liveRows,
    long paddingRows,
    long uploadedBytes,
    long kvBytes,
    long workspaceBytes) {

  /** Those of {@link #captures} that are decode steps, in order. */
  public Map<StepShape, CaptureCost> decodeCaptures() {
    Map<StepShape, CaptureCost> decode = new LinkedHashMap<>(captures);
    decode.keySet().removeIf(StepShape::prefill);
    return decode;
  }
}
