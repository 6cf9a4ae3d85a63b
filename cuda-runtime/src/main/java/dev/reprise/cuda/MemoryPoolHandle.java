package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A memory pool of the program. */
final class MemoryPoolHandle extends DriverHandle {

  MemoryPoolHandle(String label, DeviceHandle device, MemorySegment value) {
    super(ResourceKind.MEMORY_POOL, label, device.context(), value, List.of(device));
  }

  @Override
  protected void destroy() {
    PoolCalls.destroy(context(), label(), value());
  }
}
