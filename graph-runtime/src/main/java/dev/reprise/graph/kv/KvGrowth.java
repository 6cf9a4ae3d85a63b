package dev.reprise.graph.kv;

/**
 * How far a KV pool may grow in place, beyond the blocks it starts with.
 *
 * @param maxBlocks the most blocks, the null block included; 0 for a pool of fixed size. Addresses
 *     for so many are reserved at the start
 * @param budgetBytes the most device bytes that KV blocks and captured graphs may take together
 */
public record KvGrowth(int maxBlocks, long budgetBytes) {

  /** A pool of fixed size, and no budget besides that of the graphs. */
  public static final KvGrowth NONE = new KvGrowth(0, Long.MAX_VALUE);

  /** Checks the numbers. */
  public KvGrowth {
    if (maxBlocks < 0 || budgetBytes < 0) {
      throw new IllegalArgumentException(
          "A KV pool cannot grow to %d blocks in %d bytes".formatted(maxBlocks, budgetBytes));
    }
  }

  /** Up to a number of blocks, with no budget. */
  public static KvGrowth to(int maxBlocks) {
    return new KvGrowth(maxBlocks, Long.MAX_VALUE);
  }

  /** The same within a budget. */
  public KvGrowth within(long bytes) {
    return new KvGrowth(maxBlocks, bytes);
  }
}
