package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts for stream-ordered allocations. Memory goes back to the device when its free operation
 * runs, so what is reserved is what is used: addresses are never reused, and keeping freed memory
 * would save nothing. Thread-safe.
 */
public final class MemoryPool extends Handled {

  /** The most that may be in use; {@code Long.MAX_VALUE} for no limit but the device's. */
  private final long maxSize;

  private final int ordinal;

  /** The other devices whose kernels can access its memory. */
  private final Set<Integer> readers = ConcurrentHashMap.newKeySet();

  private final AtomicLong used = new AtomicLong();
  private final AtomicLong usedHigh = new AtomicLong();
  private volatile long releaseThreshold;
  private volatile int reuseFollowEventDependencies = 1;
  private volatile int reuseAllowOpportunistic = 1;
  private volatile int reuseAllowInternalDependencies = 1;

  /**
   * An empty pool.
   *
   * @param ordinal the device of its memory
   * @param maxSize the most that may be in use; 0 for no limit but the device's
   */
  public MemoryPool(Handles handles, int ordinal, long maxSize) {
    super(handles, HandleKind.MEMORY_POOL);
    this.ordinal = ordinal;
    this.maxSize = maxSize == 0 ? Long.MAX_VALUE : maxSize;
  }

  /** The device of its memory. */
  public int ordinal() {
    return ordinal;
  }

  /** Whether kernels of a device can access its memory. */
  public boolean accessibleFrom(int device) {
    return device == ordinal || readers.contains(device);
  }

  /** Lets kernels of another device access its memory, what is allocated already included. */
  public void accessibleFrom(int device, boolean accessible) {
    if (accessible) {
      readers.add(device);
    } else {
      readers.remove(device);
    }
  }

  /** Counts an allocation that is about to be made; false when it goes beyond the limit. */
  public boolean take(long bytes) {
    long now = used.addAndGet(bytes);
    if (now > maxSize) {
      used.addAndGet(-bytes);
      return false;
    }
    usedHigh.accumulateAndGet(now, Math::max);
    return true;
  }

  /** True when so many more bytes stay within the limit of the pool. */
  public boolean fits(long bytes) {
    return bytes <= maxSize - used.get();
  }

  /** Counts a free. */
  public void freed(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Bytes allocated and not freed. */
  public long used() {
    return used.get();
  }

  /** The most that was in use since the last reset. */
  public long usedHigh() {
    return usedHigh.get();
  }

  /** Makes the high-water mark what is in use now. */
  public void resetUsedHigh() {
    usedHigh.set(used.get());
  }

  /** How much the caller would like to be kept. */
  public long releaseThreshold() {
    return releaseThreshold;
  }

  public void releaseThreshold(long bytes) {
    releaseThreshold = bytes;
  }

  public int reuseFollowEventDependencies() {
    return reuseFollowEventDependencies;
  }

  public void reuseFollowEventDependencies(int enabled) {
    reuseFollowEventDependencies = enabled;
  }

  public int reuseAllowOpportunistic() {
    return reuseAllowOpportunistic;
  }

  public void reuseAllowOpportunistic(int enabled) {
    reuseAllowOpportunistic = enabled;
  }

  public int reuseAllowInternalDependencies() {
    return reuseAllowInternalDependencies;
  }

  public void reuseAllowInternalDependencies(int enabled) {
    reuseAllowInternalDependencies = enabled;
  }
}
