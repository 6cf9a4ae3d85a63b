package dev.reprise.graph.kv;

/**
 * What happens in memory when KV blocks change hands. Called on the thread that owns the blocks, in
 * the order in which steps are launched, so that work issued in stream order needs no waiting.
 */
public interface BlockMemory {

  /** No memory: for bookkeeping without a device. */
  BlockMemory NONE =
      new BlockMemory() {
        @Override
        public void copy(int from, int to) {}

        @Override
        public void freed(int block) {}
      };

  /** Block {@code to} gets the contents of block {@code from}, all layers. */
  void copy(int from, int to);

  /** A block is free: nobody may read it before it is written again. */
  void freed(int block);

  /**
   * More blocks are wanted than there are.
   *
   * @param blocks how many there are, the null block included
   * @param wanted how many there should be, no more than there can be
   * @return how many there are now: fewer than wanted if memory is short
   */
  default int grow(int blocks, int wanted) {
    return blocks;
  }
}
