package dev.reprise.graph.kv;

/**
 * KV blocks by a hash, one for each hash, in open addressing with linear probing; sized once, so
 * that nothing is allocated later. Removal shifts back what follows (Knuth, The Art of Computer
 * Programming 3, algorithm 6.4 R).
 */
final class HashIndex {

  private final long[] hashes;

  /** The block of a slot; 0, which is the null block, where there is none. */
  private final int[] blocks;

  private final int mask;
  private int size;

  /**
   * @param most how many blocks there can be
   */
  HashIndex(int most) {
    int capacity = Integer.highestOneBit(Math.max(1, most)) * 4;
    hashes = new long[capacity];
    blocks = new int[capacity];
    mask = capacity - 1;
  }

  /** The block of a hash; 0 if there is none. */
  int get(long hash) {
    return blocks[slot(hash)];
  }

  /** The slot of a hash, or the one where it would go. */
  private int slot(long hash) {
    int slot = (int) hash & mask;
    while (blocks[slot] != 0 && hashes[slot] != hash) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  /** Sets the block of a hash that has none. */
  void put(long hash, int block) {
    int slot = slot(hash);
    if (block <= 0 || blocks[slot] != 0) {
      throw new IllegalStateException(
          "KV block %d cannot have a hash that block %d has".formatted(block, blocks[slot]));
    }
    hashes[slot] = hash;
    blocks[slot] = block;
    size++;
  }

  /** Takes a hash out, if its block is this one. */
  void remove(long hash, int block) {
    int gap = slot(hash);
    if (blocks[gap] != block) {
      return;
    }
    size--;
    blocks[gap] = 0;
    for (int slot = gap + 1 & mask; blocks[slot] != 0; slot = slot + 1 & mask) {
      int home = (int) hashes[slot] & mask;
      // What is found from its home without passing the gap stays.
      boolean stays = gap <= slot ? gap < home && home <= slot : gap < home || home <= slot;
      if (!stays) {
        hashes[gap] = hashes[slot];
        blocks[gap] = blocks[slot];
        blocks[slot] = 0;
        gap = slot;
      }
    }
  }

  int size() {
    return size;
  }
}
