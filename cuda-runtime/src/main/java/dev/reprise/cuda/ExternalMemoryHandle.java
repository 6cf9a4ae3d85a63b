package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Imported memory. */
final class ExternalMemoryHandle extends DriverHandle {

  private final long size;

  ExternalMemoryHandle(String label, DeviceHandle device, MemorySegment value, long size) {
    super(ResourceKind.EXTERNAL_MEMORY, label, device.context(), value, List.of(device));
    this.size = size;
  }

  long size() {
    return size;
  }

  @Override
  protected void destroy() {
    ExternalMemoryCalls.destroy(context(), label(), value());
  }
}
