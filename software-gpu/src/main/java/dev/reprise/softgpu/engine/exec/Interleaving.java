package dev.reprise.softgpu.engine.exec;

import java.util.SplittableRandom;

/**
 * The order in which the blocks of one launch and their warps go, decided by a seed. Used by one
 * thread.
 */
public final class Interleaving {

  private static final int MOST_BLOCKS_AT_ONCE = 4;
  private static final int WHOLE_BLOCK = 1 << 16;

  private final SplittableRandom random;
  private final int blocksAtOnce;
  private final int longestTurn;
  private final int longestQuantum;
  private long factor = 1;
  private long offset;
  private boolean placed;

  public Interleaving(long seed) {
    random = new SplittableRandom(seed);
    blocksAtOnce = 1 + random.nextInt(MOST_BLOCKS_AT_ONCE);
    longestTurn = blocksAtOnce == 1 ? WHOLE_BLOCK : 1 + random.nextInt(16);
    longestQuantum = 1 << random.nextInt(17);
  }

  /** Chooses one of several, by its number from 0. */
  public int oneOf(int count) {
    return count == 1 ? 0 : random.nextInt(count);
  }

  /**
   * Whether another block begins now. Now and then one does beyond the number that is meant to run
   * at once, so that blocks may wait for blocks that have not begun.
   */
  public boolean beginsNext(int begun) {
    return begun == 0 || random.nextInt(begun < blocksAtOnce ? 2 : 16) == 0;
  }

  /** Which block begins as the {@code index}th of so many; each does once. */
  public long place(long index, long blocks) {
    if (!placed) {
      placed = true;
      // Steps that share no factor with the number of blocks come by all of them, unless a product
      // overflows.
      long bound = Math.min(blocks, Long.MAX_VALUE / blocks);
      do {
        factor = 1 + random.nextLong(bound);
      } while (gcd(factor, blocks) != 1);
      offset = random.nextLong(blocks);
    }
    return (index * factor % blocks + offset) % blocks;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** How many turns the warps of a block get before another block may go. */
  int turns(int warps) {
    return longestTurn == WHOLE_BLOCK ? WHOLE_BLOCK : 1 + random.nextInt(longestTurn * warps);
  }

  /** How often a warp may jump back before another may go. */
  int quantum() {
    return 1 + random.nextInt(longestQuantum);
  }
}
