package dev.reprise.graph.kv;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.Span;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The KV memory of a model: one device buffer, allocated once, cut into blocks.
 *
 * <p>One thread owns the pool. The null block is zeroed at start, and no kernel writes it.
 */
public final class KvPool implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvPool.class);

  /** The bits of a NaN that no arithmetic of ours makes, so that a poisoned value is recognised. */
  static final int POISON = 0x7fc0dead;

  private final KvLayout layout;
  private final int blockCount;
  private final boolean checked;
  private final Stream stream;
  private final DeviceBuffer buffer;
  private final KvBlocks blocks;

  private KvPool(
      KvLayout layout, int blockCount, boolean checked, Stream stream, DeviceBuffer buffer) {
    this.layout = layout;
    this.blockCount = blockCount;
    this.checked = checked;
    this.stream = stream;
    this.buffer = buffer;
    this.blocks = new KvBlocks(layout, blockCount, new OnDevice());
  }

  /** As {@link #create(Device, Stream, KvLayout, int, boolean)}, unchecked. */
  public static KvPool create(Device device, Stream stream, KvLayout layout, int blocks) {
    return create(device, stream, layout, blocks, false);
  }

  /**
   * Allocates a pool and zeroes its null block in stream order. Not allowed during a capture.
   *
   * @param stream orders the copies of shared blocks and the poison; the steps run on it
   * @param blocks blocks of the pool, the null block included
   * @param checked whether blocks are filled with NaN at start and whenever they are freed
   */
  public static KvPool create(
      Device device, Stream stream, KvLayout layout, int blocks, boolean checked) {
    DeviceBuffer buffer = device.allocate("KV pool", layout.blockBytesAllLayers() * blocks);
    try {
      KvPool pool = new KvPool(layout, blocks, checked, stream, buffer);
      if (checked) {
        stream.fill32(buffer, 0, buffer.size() / Integer.BYTES, POISON);
      }
      pool.fill(KvBlockAllocator.NULL_BLOCK, 0);
      return pool;
    } catch (RuntimeException e) {
      buffer.close();
      throw e;
    }
  }

  private void fill(int block, int word) {
    long bytes = layout.blockBytes();
    for (int part = 0; part < 2 * layout.layers(); part++) {
      stream.fill32(buffer, part(part).offset() + block * bytes, bytes / Integer.BYTES, word);
    }
  }

  /** Copies and poison in stream order. */
  private final class OnDevice implements BlockMemory {

    @Override
    public void copy(int from, int to) {
      long bytes = layout.blockBytes();
      for (int part = 0; part < 2 * layout.layers(); part++) {
        long base = part(part).offset();
        stream.copy(buffer, base + from * bytes, buffer, base + to * bytes, bytes);
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
    return part(2 * layer);
  }

  /** The values of a layer, all blocks. */
  public Span values(int layer) {
    return part(2 * layer + 1);
  }

  private Span part(int index) {
    long bytes = layout.blockBytes() * blockCount;
    return new Span(buffer, index * bytes, bytes);
  }

  /** The pool of one layer, as kernels take it. */
  public KvLayer layer(int layer) {
    return new KvLayer(
        keys(layer),
        values(layer),
        blockCount,
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

  /** Bytes of the whole pool. */
  public long bytes() {
    return buffer.size();
  }

  @Override
  public void close() {
    buffer.close();
  }
}
