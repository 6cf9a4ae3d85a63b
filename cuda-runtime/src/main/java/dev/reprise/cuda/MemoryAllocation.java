package dev.reprise.cuda;

import static java.util.stream.Collectors.toSet;

import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An allocation node while it is being added. */
final class MemoryAllocation {

  private final Device device;
  private final String label;
  private final long bytes;

  /** Other devices whose kernels may use the memory. */
  private final List<DeviceHandle> peers;

  private @Nullable CaptureLedger uses;

  MemoryAllocation(Device device, String label, long bytes, List<Device> peers) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "Buffer '%s' cannot have %d bytes.".formatted(label, bytes));
    }
    this.device = device;
    this.label = label;
    this.bytes = bytes;
    this.peers = peers.stream().map(peer -> other(device, peer, label)).toList();
  }

  private static DeviceHandle other(Device device, Device peer, String label) {
    if (peer.ordinal() == device.ordinal()) {
      throw new IllegalArgumentException(
          "DeviceBuffer '%s' is of device %d itself, which can always access it."
              .formatted(label, device.ordinal()));
    }
    return peer.openHandle();
  }

  /** Takes the ledger that will know the memory. */
  void enter(CaptureLedger ledger) {
    uses = ledger;
  }

  /** Adds the node. */
  MemorySegment add(MemorySegment graph, MemorySegment dependencies, long count) {
    DeviceHandle parent = device.handle();
    return HandleNode.under(
        parent,
        () -> {
          GraphMemoryCalls.Allocation made =
              GraphMemoryCalls.addAllocation(
                  device.context(),
                  parent.device(),
                  label,
                  bytes,
                  peers.stream().map(DeviceHandle::device).distinct().toList(),
                  graph,
                  dependencies,
                  count);
          GraphMemoryHandle memory =
              new GraphMemoryHandle(
                  label,
                  device,
                  parent,
                  null,
                  made.address(),
                  bytes,
                  peers.stream().map(peer -> peer.context().ordinal()).collect(toSet()));
          if (uses != null) {
            uses.allocates(memory);
          }
          return made.node();
        });
  }
}
