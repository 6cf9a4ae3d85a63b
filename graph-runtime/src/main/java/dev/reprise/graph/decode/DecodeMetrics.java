package dev.reprise.graph.decode;

import dev.reprise.graph.schedule.SchedulerCounters;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.variant.VariantTable;
import dev.reprise.kernels.variant.VariantUse;
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
 * @param variants the kernel variants
 */
public record DecodeMetrics(
    SchedulerCounters requests,
    Map<FinishReason, Long> ended,
    long tokens,
    StepMetrics steps,
    GraphMetrics graphs,
    KvMetrics kv,
    long workspaceBytes,
    VariantMetrics variants) {

  /**
   * The kernel variants.
   *
   * @param choices shapes for which a variant was chosen before the first step
   * @param chosen launches prepared with a chosen variant
   * @param standard launches prepared with the standard variant, because their shape was not warmed
   *     up
   * @param problem why choices kept in a file could not be used; empty if they were, or there were
   *     none
   */
  public record VariantMetrics(int choices, long chosen, long standard, String problem) {

    /** Those of kernels. */
    static VariantMetrics of(Kernels kernels) {
      VariantTable table = kernels.variants();
      VariantUse use = kernels.variantUse();
      return new VariantMetrics(
          table.choices().size(), use.chosen(), use.standard(), table.problem());
    }
  }

  /**
   * The KV blocks.
   *
   * @param blocks blocks that sequences can have now
   * @param mostBlocks blocks that they can have once the pool has grown as far as it may
   * @param available blocks that are free, or cached and held by no sequence
   * @param cached blocks that are cached for prefixes, held or not
   * @param copies shared blocks copied because they were about to be written
   * @param bytes device bytes of the pool
   * @param growths how often the pool took more memory
   * @param refusedGrowths how often it was to and could not, for lack of memory or of budget
   */
  public record KvMetrics(
      int blocks,
      int mostBlocks,
      int available,
      int cached,
      long copies,
      long bytes,
      long growths,
      long refusedGrowths) {}
}
