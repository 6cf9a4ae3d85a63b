package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import java.util.HashMap;
import java.util.Map;

/**
 * What kernels get from {@code malloc}: lives until {@code free} or {@link #clear}. Thread-safe.
 */
public final class DeviceHeap {
  private final AddressSpace memory;
  private final Map<Long, Allocation> live = new HashMap<>();
  private long limit;
  private long used;

  /**
   * @param limit bytes that may be allocated at once
   */
  public DeviceHeap(AddressSpace memory, long limit) {
    this.memory = memory;
    this.limit = limit;
  }

  /** Changes the limit; what is allocated stays. */
  public synchronized void limit(long bytes) {
    limit = bytes;
  }

  /** Bytes that kernels hold. */
  public synchronized long used() {
    return used;
  }

  /** Frees all that kernels hold. They must have ended. */
  public synchronized void clear() {
    live.values().forEach(memory::free);
    live.clear();
    used = 0;
  }

  /** An address, or 0 where the heap has no room. */
  synchronized long allocate(long bytes) {
    if (bytes <= 0 || bytes > limit - used) {
      return 0;
    }
    Allocation a;
    try {
      a = memory.allocate(bytes, 16, "malloc of a kernel");
    } catch (OutOfDeviceMemoryException e) {
      // malloc has no other way to say so.
      return 0;
    }
    live.put(a.base(), a);
    used += bytes;
    return a.base();
  }

  /** Whether the address was one to free. */
  synchronized boolean free(long address) {
    Allocation a = live.remove(address);
    if (a == null) {
      return false;
    }
    used -= a.size();
    memory.free(a);
    return true;
  }
}
