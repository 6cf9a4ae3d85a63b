package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An allocation node while it is being added. */
final class MemoryAllocation {

  private final Device device;
  private final String label;
  private final long bytes;
  private @Nullable CaptureLedger uses;

  MemoryAllocation(Device device, String label, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "Buffer '%s' cannot have %d bytes.".formatted(label, bytes));
    }
    this.device = device;
    this.label = label;
    this.bytes = bytes;
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
                  device.context(), parent.device(), label, bytes, graph, dependencies, count);
          GraphMemoryHandle memory =
              new GraphMemoryHandle(label, device, parent, null, made.address(), bytes);
          if (uses != null) {
            uses.allocates(memory);
          }
          return made.node();
        });
  }
}
