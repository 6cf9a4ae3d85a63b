package dev.reprise.graph.kv;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.kernels.Span;

/** One buffer for all parts, as large as it will ever be. */
final class FixedKvMemory implements KvMemory {

  private final KvLayout layout;
  private final int blocks;
  private final DeviceBuffer buffer;

  FixedKvMemory(Device device, KvLayout layout, int blocks) {
    this.layout = layout;
    this.blocks = blocks;
    this.buffer = device.allocate("KV pool", layout.blockBytesAllLayers() * blocks);
  }

  @Override
  public Span part(int index) {
    long bytes = layout.blockBytes() * blocks;
    return new Span(buffer, index * bytes, bytes);
  }

  @Override
  public int mostBlocks() {
    return blocks;
  }

  @Override
  public long bytes() {
    return buffer.size();
  }

  @Override
  public long bytesToGrow(int wanted) {
    return 0;
  }

  @Override
  public void grow(int wanted) {
    throw new IllegalStateException("A KV pool of %d blocks was to grow".formatted(blocks));
  }

  @Override
  public void shrink(int kept) {}

  @Override
  public void close() {
    buffer.close();
  }
}
