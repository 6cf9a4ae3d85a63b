package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The registered host memory of one context, by address: one registration for each range, shared by
 * all who register it. Thread-safe.
 */
final class HostRegistrations {

  private final TreeMap<Long, HostRegistration> byAddress = new TreeMap<>();

  /**
   * The registration of a range with one more reference for the caller; made if there is none.
   * Waits while an earlier one of the range is being ended.
   */
  synchronized HostRegistration acquire(
      DeviceHandle device, String label, long address, long bytes) {
    boolean interrupted = false;
    try {
      while (true) {
        HostRegistration known = overlapping(address, bytes);
        if (known == null) {
          HostRegistration made = register(device, label, address, bytes);
          byAddress.put(address, made);
          return made;
        }
        if (known.tryRetain()) {
          if (known.address() == address && known.bytes() == bytes) {
            return known;
          }
          known.release();
          throw new IllegalArgumentException(
              "RegisteredMemory '%s' of %d bytes at %s overlaps '%s' of %d bytes at %s in part. Register the same range, or one apart."
                  .formatted(
                      label,
                      bytes,
                      MemoryCalls.hex(address),
                      known.label(),
                      known.bytes(),
                      MemoryCalls.hex(known.address())));
        }
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private @Nullable HostRegistration overlapping(long address, long bytes) {
    Map.Entry<Long, HostRegistration> before = byAddress.lowerEntry(address + bytes);
    if (before == null) {
      return null;
    }
    HostRegistration last = before.getValue();
    return last.address() + last.bytes() > address ? last : null;
  }

  private static HostRegistration register(
      DeviceHandle device, String label, long address, long bytes) {
    return HandleNode.under(
        device,
        () -> {
          MemoryCalls.register(device.context(), label, address, bytes);
          return new HostRegistration(label, device, address, bytes);
        });
  }

  /** Takes note that the driver has let a range go. */
  synchronized void ended(HostRegistration registration) {
    byAddress.remove(registration.address(), registration);
    notifyAll();
  }
}
