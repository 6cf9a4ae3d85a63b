package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;

/** A range of imported memory, mapped for the device. */
final class ExternalBufferHandle extends RegionHandle {

  /** The caller has retained the memory for it. */
  ExternalBufferHandle(String label, ExternalMemoryHandle memory, long address, long size) {
    super(ResourceKind.DEVICE_BUFFER, label, memory.context(), List.of(memory), address, size);
  }

  /** {@code cuMemFree} waits for the device. */
  @Override
  protected boolean destroyMayWait() {
    return true;
  }

  @Override
  protected void destroy() {
    MemoryCalls.free(context(), label(), address(), size());
  }
}
