package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessHistory;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** An imported semaphore. */
final class ExternalSemaphoreHandle extends DriverHandle {

  /** The order that it gives, for the check of accesses. */
  private final AccessHistory history = new AccessHistory(this, () -> 0);

  ExternalSemaphoreHandle(String label, DeviceHandle device, MemorySegment value) {
    super(ResourceKind.EXTERNAL_SEMAPHORE, label, device.context(), value, List.of(device));
  }

  AccessHistory history() {
    return history;
  }

  @Override
  protected void destroy() {
    SemaphoreCalls.destroy(context(), label(), value());
  }
}
