package dev.reprise.graph.kv;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.Span;

/**
 * The KV memory of a model: one device buffer, allocated once, cut into blocks.
 *
 * <p>One thread owns the pool. The null block is zeroed at start, and no kernel writes it.
 */
public final class KvPool implements AutoCloseable {

  private final KvLayout layout;
  private final KvBlockAllocator allocator;
  private final DeviceBuffer buffer;

  private KvPool(KvLayout layout, KvBlockAllocator allocator, DeviceBuffer buffer) {
    this.layout = layout;
    this.allocator = allocator;
    this.buffer = buffer;
  }

  /**
   * Allocates a pool and zeroes its null block in stream order. Not allowed during a capture.
   *
   * @param blocks blocks of the pool, the null block included
   */
  public static KvPool create(Device device, Stream stream, KvLayout layout, int blocks) {
    KvBlockAllocator allocator = new KvBlockAllocator(blocks);
    DeviceBuffer buffer = device.allocate("KV pool", layout.blockBytesAllLayers() * blocks);
    KvPool pool = new KvPool(layout, allocator, buffer);
    try {
      for (int layer = 0; layer < layout.layers(); layer++) {
        stream.fill32(buffer, pool.keys(layer).offset(), layout.blockBytes() / Integer.BYTES, 0);
        stream.fill32(buffer, pool.values(layer).offset(), layout.blockBytes() / Integer.BYTES, 0);
      }
    } catch (RuntimeException e) {
      buffer.close();
      throw e;
    }
    return pool;
  }

  /** A sequence without blocks. */
  public KvSequence newSequence() {
    return new KvSequence(allocator, layout);
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
    long bytes = layout.blockBytes() * allocator.blocks();
    return new Span(buffer, index * bytes, bytes);
  }

  /** The pool of one layer, as kernels take it. */
  public KvLayer layer(int layer) {
    return new KvLayer(
        keys(layer),
        values(layer),
        allocator.blocks(),
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
    return allocator;
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
