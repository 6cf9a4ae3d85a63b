package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;

/** An allocation of device memory. */
final class DeviceMemoryHandle extends RegionHandle {

  private final DeviceHandle device;

  DeviceMemoryHandle(String label, DeviceHandle device, long address, long size) {
    super(ResourceKind.DEVICE_BUFFER, label, device, address, size);
    this.device = device;
  }

  @Override
  protected void destroy() {
    device.memory().free(label(), address(), size());
  }
}
