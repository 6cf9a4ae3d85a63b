package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver graph that can run, which owns what its next launch uses. */
final class GraphExecHandle extends DriverHandle {

  private final GraphContents contents;
  private volatile boolean destroyed;

  GraphExecHandle(String label, DeviceHandle device, MemorySegment value, GraphContents contents) {
    super(ResourceKind.GRAPH_EXEC, label, device.context(), value, List.of(device));
    this.contents = contents;
  }

  GraphContents contents() {
    return contents;
  }

  @Override
  protected void destroy() {
    try {
      GraphCalls.destroyExec(context(), label(), value());
    } finally {
      destroyed = true;
      contents.release();
    }
  }

  /** Whether the driver's object is gone. */
  boolean isDestroyed() {
    return destroyed;
  }
}
