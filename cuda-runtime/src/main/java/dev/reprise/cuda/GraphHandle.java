package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver graph, which owns what its nodes use. */
final class GraphHandle extends DriverHandle {

  private final GraphContents contents;

  GraphHandle(String label, DeviceHandle device, MemorySegment value, GraphContents contents) {
    super(ResourceKind.GRAPH, label, device.context(), value, List.of(device));
    this.contents = contents;
  }

  GraphContents contents() {
    return contents;
  }

  @Override
  protected void destroy() {
    try {
      GraphCalls.destroy(context(), label(), value());
    } finally {
      contents.closeMemory();
      contents.release();
    }
  }
}
