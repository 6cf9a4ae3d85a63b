package dev.reprise.graph.kv;

import java.util.Arrays;

/**
 * The blocks of one sequence, in order of position: what a row of a block table is made of.
 *
 * <p>Same thread as its {@link KvBlockAllocator}. Closing gives the blocks back; the caller must
 * have seen the last step that reads them complete.
 */
public final class KvSequence implements AutoCloseable {

  private final KvBlockAllocator allocator;
  private final KvLayout layout;
  private long[] blocks = new long[8];
  private int count;
  private boolean closed;

  KvSequence(KvBlockAllocator allocator, KvLayout layout) {
    this.allocator = allocator;
    this.layout = layout;
  }

  /**
   * Takes blocks until {@code position} has a slot.
   *
   * @return whether the sequence has new blocks, so that its block table must be written again
   * @throws KvExhaustedException if the pool runs out; blocks taken before stay with the sequence
   */
  public boolean reserve(int position) {
    checkOpen();
    int wanted = layout.blocksFor(position + 1);
    boolean grown = false;
    while (count < wanted) {
      if (count == blocks.length) {
        blocks = Arrays.copyOf(blocks, 2 * count);
      }
      blocks[count] = allocator.allocate();
      count++;
      grown = true;
    }
    return grown;
  }

  /**
   * Refuses the sequence if any of its blocks was freed behind its back.
   *
   * @throws FreedBlockException naming the first such block
   */
  public void check() {
    checkOpen();
    for (int i = 0; i < count; i++) {
      allocator.check(blocks[i]);
    }
  }

  /** How many blocks the sequence has. */
  public int blockCount() {
    return count;
  }

  /** The block, with its generation, that holds positions from {@code index} × block size on. */
  public long block(int index) {
    return blocks[java.util.Objects.checkIndex(index, count)];
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("The KV sequence is closed; its blocks were given back");
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      for (int i = count - 1; i >= 0; i--) {
        allocator.release(blocks[i]);
      }
      count = 0;
    }
  }
}
