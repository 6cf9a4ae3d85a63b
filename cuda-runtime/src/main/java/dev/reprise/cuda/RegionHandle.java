package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.List;

/**
 * Memory that graphs may capture by its address. Its epoch changes when the address stops being
 * good for what the program calls by this label, so that graphs which hold it become stale.
 */
abstract class RegionHandle extends HandleNode {

  private final Context context;
  private final long address;
  private final long size;

  private volatile int epoch;

  RegionHandle(ResourceKind kind, String label, DeviceHandle device, long address, long size) {
    super(kind, label, device.context().retirement(), List.of(device));
    this.context = device.context();
    this.address = address;
    this.size = size;
  }

  final Context context() {
    return context;
  }

  final long address() {
    return address;
  }

  final long size() {
    return size;
  }

  final int epoch() {
    return epoch;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // called once, by the one close that counts
  protected void closing() {
    epoch++;
    Epochs.changed();
  }

  /** Checks that a range lies in the memory. */
  final void checkRange(String operation, long offset, long bytes) {
    if (offset < 0 || bytes < 0 || offset > size - bytes) {
      throw new IndexOutOfBoundsException(
          "%s: bytes %d to %d are outside %s '%s' of %d bytes."
              .formatted(operation, offset, offset + bytes, kind().typeName(), label(), size));
    }
  }
}
