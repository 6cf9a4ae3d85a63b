package dev.reprise.graph.kv;

import java.util.Arrays;
import java.util.Objects;

/**
 * The blocks of one sequence, in order of position: what a row of a block table is made of.
 *
 * <p>Same thread as its {@link KvBlocks}. Closing gives the blocks back. Steps that were launched
 * before may still read them: whoever takes the blocks next writes them in a later step of the same
 * stream.
 */
public final class KvSequence implements AutoCloseable {

  private final KvBlocks pool;
  private final String owner;
  private final int blockSize;
  private long[] blocks;
  private int count;
  private boolean closed;

  /** Behind its last block that is cached. */
  private final PrefixCache.Place tail = new PrefixCache.Place();

  /** Whether it takes part in sharing. */
  private boolean sharing;

  /** Blocks from the start that are cached. */
  private int cached;

  KvSequence(KvBlocks pool, String owner, int expected) {
    this.blocks = new long[Math.max(expected, 8)];
    this.pool = pool;
    this.owner = owner;
    this.blockSize = pool.layout().blockSize();
  }

  /**
   * Takes the cached blocks that hold the beginning of {@code tokens}, and from now on lets {@link
   * #filled} offer blocks to others. For a sequence without blocks.
   *
   * @param namespace what besides the tokens decides keys and values: model and adapter
   * @param length how many of the tokens count
   * @return positions whose keys and values are there, a multiple of the block size
   */
  public int adoptPrefix(String namespace, int[] tokens, int length) {
    checkOpen();
    if (count != 0) {
      throw new IllegalStateException(
          "The KV sequence of " + owner + " has blocks; a prefix comes first");
    }
    pool.begin(tail, namespace);
    sharing = true;
    for (int from = 0; from + blockSize <= length; from += blockSize) {
      long next = pool.adopt(tail, tokens, from);
      if (next == KvBlockAllocator.NULL_BLOCK) {
        break;
      }
      append(next);
    }
    cached = count;
    return count * blockSize;
  }

  /**
   * Offers the full blocks of positions 0 … {@code length - 1} to sequences with the same tokens.
   * The steps that wrote them are complete.
   */
  public void filled(int[] tokens, int length) {
    checkOpen();
    while (sharing && (cached + 1) * blockSize <= length) {
      pool.cache(tail, tokens, cached * blockSize, blocks[cached]);
      cached++;
    }
  }

  /** Another sequence with the same contents. Whichever is written first gets a copy. */
  public KvSequence fork(String forkOwner) {
    checkOpen();
    KvSequence fork = new KvSequence(pool, forkOwner, blocks.length);
    for (int i = 0; i < count; i++) {
      pool.retain(blocks[i]);
      fork.append(blocks[i]);
    }
    fork.tail.set(tail);
    fork.sharing = sharing;
    fork.cached = cached;
    return fork;
  }

  /** How many blocks {@link #reserve(int, int)} would take now. */
  public int missing(int from, int to) {
    checkOpen();
    int first = from / blockSize;
    int end = pool.layout().blocksFor(to);
    int missing = Math.max(0, end - count);
    for (int i = first; i < Math.min(count, end); i++) {
      if (pool.shared(blocks[i])) {
        missing++;
      }
    }
    return missing;
  }

  /** Lets {@code position} be written, as {@link #reserve(int, int)}. */
  public boolean reserve(int position) {
    return reserve(position, position + 1);
  }

  /**
   * Lets positions {@code from} … {@code to - 1} be written: takes blocks until the last of them
   * has a slot, and copies those of their blocks that others share.
   *
   * @return whether the sequence has other blocks now, so that its block table must be written
   *     again
   * @throws KvExhaustedException if the pool runs out; blocks taken before stay with the sequence
   */
  public boolean reserve(int from, int to) {
    checkOpen();
    boolean changed = false;
    int end = pool.layout().blocksFor(to);
    for (int i = from / blockSize; i < Math.min(count, end); i++) {
      if (pool.shared(blocks[i])) {
        blocks[i] = pool.copyOf(blocks[i]);
        changed = true;
      }
    }
    while (count < end) {
      append(pool.allocate());
      changed = true;
    }
    return changed;
  }

  private void append(long block) {
    if (count == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * count);
    }
    blocks[count++] = block;
  }

  /**
   * Refuses the sequence if any of its blocks was freed behind its back.
   *
   * @throws FreedBlockException naming the owner and the first such block
   */
  public void check() {
    check(0);
  }

  /**
   * As {@link #check()}, for the blocks from an index on.
   *
   * @throws FreedBlockException naming the owner and the first such block
   */
  public void check(int from) {
    checkOpen();
    for (int i = from; i < count; i++) {
      pool.allocator().check(blocks[i], owner);
    }
  }

  /** How many blocks the sequence has. */
  public int blockCount() {
    return count;
  }

  /** Positions that have a slot. */
  public int capacity() {
    return count * blockSize;
  }

  /** The block, with its generation, that holds positions from {@code index} × block size on. */
  public long block(int index) {
    return blocks[Objects.checkIndex(index, count)];
  }

  /** Who uses it, for messages. */
  public String owner() {
    return owner;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "The KV sequence of " + owner + " is closed; its blocks were given back");
    }
  }

  /**
   * Gives the blocks back, the last first, so that long prefixes lose their ends first. A block
   * that was freed behind its back, which {@link #check} reports, is no longer its own to give.
   */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      while (count > 0) {
        count--;
        if (pool.allocator().isLive(blocks[count])) {
          pool.release(blocks[count]);
        }
      }
    }
  }
}
