package dev.reprise.graph.kv;

import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.Span;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The KV memory of a model, cut into blocks at addresses that stay the same. It has the size that
 * it was made with, or grows in place in ranges of addresses that were reserved for it.
 *
 * <p>One thread owns the pool. The null block is zeroed at start, and no kernel writes it.
 */
public final class KvPool implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvPool.class);

  /** The bits of a NaN that no arithmetic of ours makes, so that a poisoned value is recognised. */
  static final int POISON = 0x7fc0dead;

  /** Growth takes at least this part of the blocks there are, so that it stays rare. */
  private static final int LEAST_PART = 4;

  /** Requests for growth that are passed over after one was refused; doubles each time. */
  private static final int FIRST_BACK_OFF = 16;

  private static final int MOST_DOUBLINGS = 10;

  private final KvLayout layout;
  private final boolean checked;
  private final Stream stream;
  private final KvMemory memory;
  private final GrowthBudget budget;
  private final KvBlocks blocks;
  private long growths;
  private long refusals;
  private int failures;
  private long passOver;

  /** Why the pool did not grow the last time. */
  private @Nullable String refusal;

  private KvPool(
      KvLayout layout,
      int blockCount,
      boolean checked,
      Stream stream,
      KvMemory memory,
      GrowthBudget budget) {
    this.layout = layout;
    this.checked = checked;
    this.stream = stream;
    this.memory = memory;
    this.budget = budget;
    this.blocks = new KvBlocks(layout, blockCount, memory.mostBlocks(), new OnDevice());
  }

  /** As {@link #create(Device, Stream, KvLayout, int, boolean)}, unchecked. */
  public static KvPool create(Device device, Stream stream, KvLayout layout, int blocks) {
    return create(device, stream, layout, blocks, false);
  }

  /**
   * Allocates a pool of fixed size and zeroes its null block in stream order. Not allowed during a
   * capture.
   *
   * @param stream orders the copies of shared blocks and the poison; the steps run on it
   * @param blocks blocks of the pool, the null block included
   * @param checked whether blocks are filled with NaN at start and whenever they are freed
   */
  public static KvPool create(
      Device device, Stream stream, KvLayout layout, int blocks, boolean checked) {
    KvMemory memory = new FixedKvMemory(device, layout, blocks);
    return create(layout, blocks, checked, stream, memory, GrowthBudget.UNLIMITED);
  }

  /**
   * As {@link #create(Device, Stream, KvLayout, int, boolean)}, for a pool that grows when it runs
   * out of blocks.
   *
   * @param mostBlocks how many blocks it can grow to, the null block included
   * @param budget asked before more memory is taken, and for room when there is none
   * @throws dev.reprise.cuda.CudaException with {@code CUDA_ERROR_NOT_SUPPORTED} if the device has
   *     no virtual memory management
   */
  public static KvPool createGrowing(
      Device device,
      Stream stream,
      KvLayout layout,
      int blocks,
      int mostBlocks,
      boolean checked,
      GrowthBudget budget) {
    if (mostBlocks < blocks) {
      throw new IllegalArgumentException(
          "A KV pool that starts with %d blocks cannot have %d at most"
              .formatted(blocks, mostBlocks));
    }
    KvMemory memory = new GrowingKvMemory(device, layout, blocks, mostBlocks);
    return create(layout, blocks, checked, stream, memory, budget);
  }

  private static KvPool create(
      KvLayout layout,
      int blocks,
      boolean checked,
      Stream stream,
      KvMemory memory,
      GrowthBudget budget) {
    try {
      KvPool pool = new KvPool(layout, blocks, checked, stream, memory, budget);
      pool.poison(0, blocks);
      pool.fill(KvBlockAllocator.NULL_BLOCK, 0);
      return pool;
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  /** In checked mode, marks what blocks from … to - 1 hold as nobody's. */
  private void poison(int from, int to) {
    if (!checked) {
      return;
    }
    long words = (to - from) * (layout.blockBytes() / Integer.BYTES);
    for (int part = 0; part < 2 * layout.layers(); part++) {
      Span span = memory.part(part);
      long at = span.offset() + from * layout.blockBytes();
      stream.fill32(span.buffer(), at, words, POISON);
    }
  }

  private void fill(int block, int word) {
    long bytes = layout.blockBytes();
    for (int part = 0; part < 2 * layout.layers(); part++) {
      Span span = memory.part(part);
      long at = span.offset() + block * bytes;
      stream.fill32(span.buffer(), at, bytes / Integer.BYTES, word);
    }
  }

  /** Copies and poison in stream order. */
  private final class OnDevice implements BlockMemory {

    @Override
    public void copy(int from, int to) {
      long bytes = layout.blockBytes();
      for (int part = 0; part < 2 * layout.layers(); part++) {
        Span span = memory.part(part);
        long base = span.offset();
        stream.copy(span.buffer(), base + from * bytes, span.buffer(), base + to * bytes, bytes);
      }
    }

    @Override
    public void freed(int block) {
      if (!checked) {
        return;
      }
      try {
        fill(block, POISON);
      } catch (RuntimeException e) {
        // The block is free all the same, and the request that had it may have ended well.
        LOG.warn("Freed KV block {} could not be filled with NaN: {}", block, e.getMessage());
      }
    }

    @Override
    public int grow(int count, int wanted) {
      if (passOver > 0) {
        passOver--;
        return count;
      }
      int roomy = (int) Math.min(memory.mostBlocks(), (long) count + count / LEAST_PART);
      int now = tryToGrow(count, Math.max(wanted, roomy));
      if (now == count && roomy > wanted) {
        now = tryToGrow(count, wanted);
      }
      if (now == count && budget.makeRoom(memory.bytesToGrow(wanted))) {
        now = tryToGrow(count, wanted);
      }
      if (now > count) {
        growths++;
        failures = 0;
      } else {
        refusals++;
        LOG.warn(
            "The KV pool stays at {} blocks, {} are wanted, and requests wait or are computed again:"
                + " {}",
            count,
            wanted,
            refusal);
        passOver = (long) FIRST_BACK_OFF << Math.min(failures++, MOST_DOUBLINGS);
      }
      return now;
    }
  }

  /** Takes memory for more blocks, unless the budget or the device has none. */
  private int tryToGrow(int count, int wanted) {
    long more = memory.bytesToGrow(wanted);
    if (more > 0 && !budget.allows(more)) {
      refusal = "the budget has no %d bytes more".formatted(more);
      return count;
    }
    try {
      memory.grow(wanted);
      poison(count, wanted);
    } catch (CudaException e) {
      if (e.contextPoisoned()) {
        throw e;
      }
      refusal = e.getMessage();
      return count;
    }
    LOG.debug("The KV pool grows from {} to {} blocks", count, wanted);
    return wanted;
  }

  /**
   * Gives the memory behind the last block in use back, cached blocks that no sequence holds
   * included, as far as it goes in the pieces in which it was taken. Steps in flight must be
   * complete.
   *
   * <p>Graphs that captured the pool become stale if any memory is given back, and are captured
   * again when they are wanted.
   *
   * @return the bytes given back
   */
  public long shrink() {
    long before = memory.bytes();
    int kept = blocks.drop();
    blocks.allocator().shrink(kept);
    memory.shrink(kept);
    return before - memory.bytes();
  }

  /** A sequence without blocks. */
  public KvSequence newSequence() {
    return newSequence("a sequence");
  }

  /**
   * A sequence without blocks.
   *
   * @param owner who uses it, for messages
   */
  public KvSequence newSequence(String owner) {
    return blocks.newSequence(owner);
  }

  /** The keys of a layer, all blocks. */
  public Span keys(int layer) {
    return memory.part(2 * layer);
  }

  /** The values of a layer, all blocks. */
  public Span values(int layer) {
    return memory.part(2 * layer + 1);
  }

  /** The pool of one layer, as kernels take it. */
  public KvLayer layer(int layer) {
    return new KvLayer(
        keys(layer),
        values(layer),
        memory.mostBlocks(),
        layout.kvHeads(),
        layout.blockSize(),
        layout.headDim());
  }

  /** How blocks lie in memory. */
  public KvLayout layout() {
    return layout;
  }

  /** Who holds which block. */
  public KvBlockAllocator allocator() {
    return blocks.allocator();
  }

  /** The blocks: free, held or cached. */
  public KvBlocks blocks() {
    return blocks;
  }

  /** Device bytes that the pool takes now. */
  public long bytes() {
    return memory.bytes();
  }

  /** How often it took more memory. */
  public long growths() {
    return growths;
  }

  /** How often it was to take more memory and could not, for lack of it or of budget. */
  public long refusedGrowths() {
    return refusals;
  }

  @Override
  public void close() {
    memory.close();
  }
}
