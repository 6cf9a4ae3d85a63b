package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessHistory;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.List;

/** Memory of the program that the driver has page-locked; lives while it has shares. */
final class HostRegistration extends HandleNode {

  private final Context context;
  private final long address;
  private final long bytes;
  private final AccessHistory history = new AccessHistory(this, this::bytes);

  /** The caller has retained the device for it. */
  HostRegistration(String label, DeviceHandle device, long address, long bytes) {
    super(ResourceKind.HOST_REGISTRATION, label, device.context().retirement(), List.of(device));
    this.context = device.context();
    this.address = address;
    this.bytes = bytes;
  }

  Context context() {
    return context;
  }

  long address() {
    return address;
  }

  long bytes() {
    return bytes;
  }

  /** What is known of the uses of the memory, for the check of accesses. */
  AccessHistory history() {
    return history;
  }

  @Override
  protected boolean destroyMayWait() {
    return true;
  }

  @Override
  protected void destroy() {
    try {
      MemoryCalls.unregister(context, label(), address, bytes);
    } finally {
      context.registrations().ended(this);
    }
  }
}
