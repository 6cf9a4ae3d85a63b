package dev.reprise.softgpu.driver.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which other devices have kernels that can access a range of memory, by number. Thread-safe. */
public final class Readers {

  private final Set<Integer> devices = ConcurrentHashMap.newKeySet();

  /** Whether kernels of a device can access it. */
  public boolean has(int device) {
    return devices.contains(device);
  }

  /** Lets kernels of a device access it, or no longer. */
  public void set(int device, boolean accessible) {
    if (accessible) {
      devices.add(device);
    } else {
      devices.remove(device);
    }
  }

  boolean isEmpty() {
    return devices.isEmpty();
  }
}
