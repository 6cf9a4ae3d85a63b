package dev.reprise.graph.kv;

import org.jspecify.annotations.Nullable;

/**
 * Hands out block ids, counts who holds each block, and tells a block from a later one that has the
 * same id.
 *
 * <p>A <em>block</em> here is a {@code long}: the generation of the id in the high half, the id in
 * the low half. Giving back the last reference raises the generation, so an old block is recognised
 * however often its id has been used again. Block 0 is the null block: never handed out, never
 * freed, the target of every unused entry of a block table.
 *
 * <p>Not thread-safe: one thread owns a pool. Host-side only; nothing here talks to a device.
 */
public final class KvBlockAllocator {

  /** The id of the null block. */
  public static final int NULL_BLOCK = 0;

  private final int[] references;
  private final int[] generations;
  private final int[] free;
  private int blocks;
  private int freeCount;
  private long freed;

  /**
   * @param blocks how many blocks there are, the null block included
   */
  public KvBlockAllocator(int blocks) {
    this(blocks, blocks);
  }

  /**
   * @param blocks how many blocks there are, the null block included
   * @param mostBlocks how many there can be
   */
  public KvBlockAllocator(int blocks, int mostBlocks) {
    if (blocks < 2) {
      throw new IllegalArgumentException(
          "A KV pool needs the null block and at least one more, not " + blocks);
    }
    if (mostBlocks < blocks) {
      throw new IllegalArgumentException(
          "A KV pool of %d blocks cannot have %d at most".formatted(blocks, mostBlocks));
    }
    references = new int[mostBlocks];
    generations = new int[mostBlocks];
    free = new int[mostBlocks - 1];
    this.blocks = 1;
    grow(blocks);
  }

  /**
   * There are more blocks from now on, all free.
   *
   * @param count how many, the null block included
   */
  void grow(int count) {
    if (count < blocks || count > references.length) {
      throw new IllegalArgumentException(
          "A KV pool of %d blocks cannot grow to %d; the most are %d"
              .formatted(blocks, count, references.length));
    }
    // The last is taken first, so the first of the new ones goes last.
    for (int id = count - 1; id >= blocks; id--) {
      free[freeCount++] = id;
    }
    blocks = count;
  }

  /** How many blocks are left if all free ones at the end go. */
  int blocksInUse() {
    int count = blocks;
    while (count > 2 && references[count - 1] == 0) {
      count--;
    }
    return count;
  }

  /**
   * There are fewer blocks from now on.
   *
   * @param count how many, the null block included
   * @throws IllegalArgumentException if one of the others is not free
   */
  void shrink(int count) {
    if (count < blocksInUse() || count > blocks) {
      throw new IllegalArgumentException(
          "A KV pool of %d blocks of which %d are in use cannot shrink to %d"
              .formatted(blocks, blocksInUse(), count));
    }
    int kept = 0;
    for (int i = 0; i < freeCount; i++) {
      if (free[i] < count) {
        free[kept++] = free[i];
      }
    }
    freeCount = kept;
    blocks = count;
  }

  /**
   * Takes a free block, with one reference.
   *
   * @throws KvExhaustedException if no block is free
   */
  public long allocate() {
    if (freeCount == 0) {
      throw new KvExhaustedException(blocks - 1);
    }
    int id = free[--freeCount];
    references[id] = 1;
    return handle(id);
  }

  /**
   * Adds a reference to a live block.
   *
   * @throws FreedBlockException if the block was freed
   */
  public void retain(long block) {
    check(block);
    references[id(block)]++;
  }

  /**
   * Gives one reference back; the block is free after the last one.
   *
   * @throws FreedBlockException if the block was freed already
   */
  public void release(long block) {
    check(block);
    int id = id(block);
    if (--references[id] == 0) {
      generations[id]++;
      free[freeCount++] = id;
      freed++;
    }
  }

  /**
   * Refuses a block that was freed, even when its id is in use again.
   *
   * @throws FreedBlockException naming the block
   */
  public void check(long block) {
    check(block, null);
  }

  /** As {@link #check(long)}; the message names who uses the block. */
  void check(long block, @Nullable String owner) {
    int id = id(block);
    if (id <= NULL_BLOCK || id >= blocks) {
      throw new IllegalArgumentException("There is no KV block " + id + " in a pool of " + blocks);
    }
    if (references[id] == 0 || generations[id] != generation(block)) {
      throw new FreedBlockException(owner, id, generation(block), generations[id], references[id]);
    }
  }

  /** Whether the block has not been freed since it was taken. */
  boolean isLive(long block) {
    int id = id(block);
    return references[id] > 0 && generations[id] == generation(block);
  }

  private long handle(int id) {
    return (long) generations[id] << 32 | id;
  }

  /** The id of a block, as it stands in a block table. */
  public static int id(long block) {
    return (int) block;
  }

  /** How often the id of this block had been freed when the block was taken. */
  public static int generation(long block) {
    return (int) (block >>> 32);
  }

  /** References to a live block. */
  public int references(long block) {
    check(block);
    return references[id(block)];
  }

  /** Blocks that can still be taken. */
  public int freeBlocks() {
    return freeCount;
  }

  /** All blocks, the null block included. */
  public int blocks() {
    return blocks;
  }

  /** How many blocks there can be, the null block included. */
  public int mostBlocks() {
    return references.length;
  }

  /** How many blocks have ever been freed: unchanged means that no block table went stale. */
  public long freedCount() {
    return freed;
  }
}
