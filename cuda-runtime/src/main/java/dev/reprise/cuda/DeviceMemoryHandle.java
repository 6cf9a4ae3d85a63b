package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;

/** An allocation of device memory. */
final class DeviceMemoryHandle extends RegionHandle {

  DeviceMemoryHandle(String label, DeviceHandle device, long address, long size) {
    super(ResourceKind.DEVICE_BUFFER, label, device, address, size);
  }

  @Override
  protected void destroy() {
    MemoryCalls.free(context(), label(), address(), size());
  }
}
