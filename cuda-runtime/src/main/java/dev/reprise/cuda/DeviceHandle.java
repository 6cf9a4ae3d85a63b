package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.List;

/** A retained primary context; the root of all that is made on a device. */
final class DeviceHandle extends HandleNode {

  private final Context context;
  private final int device;

  private final DeviceMemory memory;

  DeviceHandle(String label, Context context, int device, DeviceMemory memory) {
    super(ResourceKind.DEVICE, label, context.retirement(), List.of());
    this.context = context;
    this.device = device;
    this.memory = memory;
  }

  Context context() {
    return context;
  }

  /** The driver's {@code CUdevice}. */
  int device() {
    return device;
  }

  DeviceMemory memory() {
    return memory;
  }

  @Override
  protected void destroy() {
    Cleanup.all(
        memory::close,
        () -> context.fences().destroy(),
        () -> DeviceCalls.releasePrimaryContext(device));
  }
}
