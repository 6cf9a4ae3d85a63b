package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.jspecify.annotations.Nullable;

/** An allocation of device memory. */
final class DeviceMemoryHandle extends RegionHandle {

  private final DeviceHandle device;
  private final @Nullable AutomaticOrder order;

  DeviceMemoryHandle(
      String label, DeviceHandle device, long address, long size, BufferOptions options) {
    super(ResourceKind.DEVICE_BUFFER, label, device, address, size);
    this.device = device;
    this.order = options.automaticOrder() ? new AutomaticOrder(device.context(), label) : null;
  }

  @Override
  @Nullable AutomaticOrder order() {
    return order;
  }

  @Override
  protected void destroy() {
    Cleanup.all(
        () -> {
          if (order != null) {
            order.destroy();
          }
        },
        () -> device.memory().free(label(), address(), size()));
  }
}
