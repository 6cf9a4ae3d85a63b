package dev.reprise.graph.kv;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.VirtualRange;
import dev.reprise.kernels.Span;
import java.util.ArrayList;
import java.util.List;

/**
 * A virtual range for each part: the addresses of all blocks are reserved at the start, and memory
 * is mapped to them as it is needed, so that prepared launches and captured graphs stay good.
 */
final class GrowingKvMemory implements KvMemory {

  private final KvLayout layout;
  private final int mostBlocks;
  private final List<VirtualRange> parts = new ArrayList<>();

  GrowingKvMemory(Device device, KvLayout layout, int blocks, int mostBlocks) {
    this.layout = layout;
    this.mostBlocks = mostBlocks;
    try {
      for (int index = 0; index < 2 * layout.layers(); index++) {
        String label =
            "KV pool, %s of layer %d".formatted(index % 2 == 0 ? "keys" : "values", index / 2);
        parts.add(device.reserve(label, layout.blockBytes() * mostBlocks));
      }
      grow(blocks);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public Span part(int index) {
    return new Span(parts.get(index).buffer(), 0, layout.blockBytes() * mostBlocks);
  }

  @Override
  public int mostBlocks() {
    return mostBlocks;
  }

  @Override
  public long bytes() {
    return parts.stream().mapToLong(VirtualRange::mappedBytes).sum();
  }

  @Override
  public long bytesToGrow(int wanted) {
    return parts.stream().mapToLong(part -> lacking(part, wanted)).sum();
  }

  private long lacking(VirtualRange part, int wanted) {
    long bytes = Math.max(0, layout.blockBytes() * wanted - part.mappedBytes());
    return Math.ceilDiv(bytes, part.granularity()) * part.granularity();
  }

  @Override
  public void grow(int wanted) {
    for (VirtualRange part : parts) {
      long bytes = lacking(part, wanted);
      if (bytes > 0) {
        part.grow(bytes);
      }
    }
  }

  @Override
  public void shrink(int kept) {
    parts.forEach(part -> part.shrink(layout.blockBytes() * kept));
  }

  @Override
  public void close() {
    parts.forEach(VirtualRange::close);
  }
}
