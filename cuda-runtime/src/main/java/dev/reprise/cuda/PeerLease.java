package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.List;

/**
 * Keeps memory of one device while an operation of another device uses it. Each device has its own
 * retirement queue, whose fences are guarded by the lock of that device; so the use is noted here,
 * in the queue of the device that uses the memory, and this holds a reference to the memory.
 */
final class PeerLease extends HandleNode {

  private PeerLease(RegionHandle memory, DeviceHandle user) {
    super(
        ResourceKind.PEER_LEASE,
        memory.label(),
        user.context().retirement(),
        List.of(memory, user));
  }

  /** One reference more to memory that is not closed. */
  static PeerLease of(RegionHandle memory, DeviceHandle user) {
    memory.checkOpen();
    return HandleNode.under(
        memory, () -> HandleNode.under(user, () -> new PeerLease(memory, user)));
  }

  @Override
  protected void destroy() {
    // Only the references to the memory and the device go.
  }
}
