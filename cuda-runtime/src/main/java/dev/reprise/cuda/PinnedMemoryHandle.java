package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;

/** An allocation of page-locked host memory. */
final class PinnedMemoryHandle extends RegionHandle {

  PinnedMemoryHandle(String label, DeviceHandle device, long address, long size) {
    super(ResourceKind.PINNED_BUFFER, label, device, address, size);
  }

  @Override
  protected boolean destroyMayWait() {
    return true;
  }

  @Override
  protected void destroy() {
    MemoryCalls.freePinned(context(), label(), address(), size());
  }
}
