package dev.reprise.graph.decode;

import dev.reprise.graph.schedule.SchedulerCounters;
import java.util.Map;

/**
 * Counters of a decode engine since it was made, and gauges of now.
 *
 * @param requests the queue
 * @param ended requests that ended, by reason
 * @param tokens tokens generated
 * @param steps the steps
 * @param graphs the captured steps
 * @param kv the blocks
 * @param workspaceBytes device bytes of the workspace
 */
public record DecodeMetrics(
    SchedulerCounters requests,
    Map<FinishReason, Long> ended,
    long tokens,
    StepMetrics steps,
    GraphMetrics graphs,
    KvMetrics kv,
    long workspaceBytes) {

  /**
   * The KV blocks.
   *
   * @param blocks blocks that sequences can have
   * @param available blocks that are free, or cached and held by no sequence
   * @param cached blocks that are cached for prefixes, held or not
   * @param copies shared blocks copied because they were about to be written
   * @param bytes device bytes of the pool
   */
  public record KvMetrics(int blocks, int available, int cached, long copies, long bytes) {}
}
