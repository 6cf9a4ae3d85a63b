package dev.reprise.graph.kv;

/**
 * A pool's memory as a test sees it: each slot holds a digest of all tokens up to its position, as
 * keys and values do.
 */
class ShadowMemory implements BlockMemory {

  private static final long FREED = -1;

  private final int blockSize;
  private final long[] slots;

  ShadowMemory(int blocks, int blockSize) {
    this.blockSize = blockSize;
    this.slots = new long[blocks * blockSize];
  }

  @Override
  public void copy(int from, int to) {
    System.arraycopy(slots, from * blockSize, slots, to * blockSize, blockSize);
  }

  @Override
  public void freed(int block) {
    java.util.Arrays.fill(slots, block * blockSize, (block + 1) * blockSize, FREED);
  }

  static long digest(int[] tokens, int position) {
    long digest = 17;
    for (int i = 0; i <= position; i++) {
      digest = digest * 31 + tokens[i];
    }
    return digest;
  }

  private int slot(KvSequence sequence, int position) {
    int block = KvBlockAllocator.id(sequence.block(position / blockSize));
    return block * blockSize + position % blockSize;
  }

  /** Computes positions as a step does: reads all before, writes its own. */
  void compute(KvSequence sequence, int[] tokens, int from, int to) {
    for (int position = from; position < to; position++) {
      slots[slot(sequence, position)] = digest(tokens, position);
    }
  }

  /** The first position whose slot does not hold what its tokens give; −1 if all do. */
  int firstWrong(KvSequence sequence, int[] tokens, int length) {
    for (int position = 0; position < length; position++) {
      if (slots[slot(sequence, position)] != digest(tokens, position)) {
        return position;
      }
    }
    return -1;
  }
}
