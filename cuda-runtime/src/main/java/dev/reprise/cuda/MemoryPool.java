package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A pool that stream-ordered allocations come from, see {@link Stream#allocate(String, long,
 * MemoryPool)}. What is freed stays in the pool for the next allocation, up to a threshold.
 *
 * <p>A device has a default pool, which {@link Device#allocate} uses as well, and which closing
 * leaves as it is. A pool of one's own lives until it is closed and everything from it is freed.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be asked and closed during a capture; trimming and
 * changing it are refused. See CUDA Driver API, "Stream Ordered Memory Allocator".
 */
public final class MemoryPool implements AutoCloseable {

  /** What may let an allocation take memory that another stream has freed. */
  public enum Reuse {
    /** An event that orders the allocation behind the free. */
    FOLLOW_EVENT_DEPENDENCIES,
    /** That the free happens to be done. */
    ALLOW_OPPORTUNISTIC,
    /** A dependency that the driver adds. */
    ALLOW_INTERNAL_DEPENDENCIES
  }

  private final Device device;
  private final MemorySegment value;

  /** Null for the default pool, which nobody owns. */
  private final @Nullable MemoryPoolHandle handle;

  private MemoryPool(Device device, MemorySegment value, @Nullable MemoryPoolHandle handle) {
    this.device = device;
    this.value = value;
    this.handle = handle;
  }

  static MemoryPool ofDevice(Device device) {
    MemorySegment value = PoolCalls.defaultPool(device.context(), device.handle().device());
    return new MemoryPool(device, value, null);
  }

  static MemoryPool own(Device device, MemoryPoolHandle handle) {
    MemoryPool pool = new MemoryPool(device, handle.value(), handle);
    handle.watch(pool);
    return pool;
  }

  /** The device whose memory it holds. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle == null ? "default pool" : handle.label();
  }

  /**
   * The driver's {@code CUmemoryPool}, for calls that the runtime does not have. Borrowed: it is
   * good while the pool, or for a default pool the device, is open and reachable; see {@linkplain
   * dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the pool is closed
   */
  public MemorySegment driverHandle() {
    checkOpen();
    return value;
  }

  /** Whether it is the device's, which lives as long as that. */
  public boolean isDefault() {
    return handle == null;
  }

  /** Bytes that are allocated and not freed ({@code cuMemPoolGetAttribute}). */
  public long usedBytes() {
    return PoolCalls.usedBytes(checkedContext(), this);
  }

  /**
   * The most bytes that were allocated at once since {@link #resetHighWaterMarks} ({@code
   * cuMemPoolGetAttribute}).
   */
  public long usedHighBytes() {
    return PoolCalls.usedHighBytes(checkedContext(), this);
  }

  /**
   * Bytes that it holds of the device's memory, allocated or not ({@code cuMemPoolGetAttribute}).
   */
  public long reservedBytes() {
    return PoolCalls.reservedBytes(checkedContext(), this);
  }

  /**
   * The most bytes that it held since {@link #resetHighWaterMarks} ({@code cuMemPoolGetAttribute}).
   */
  public long reservedHighBytes() {
    return PoolCalls.reservedHighBytes(checkedContext(), this);
  }

  /** Sets both high-water marks to what is so now ({@code cuMemPoolSetAttribute}). */
  public void resetHighWaterMarks() {
    Capture.refuse("MemoryPool.resetHighWaterMarks of '" + label() + "'");
    PoolCalls.resetHighWaterMarks(checkedContext(), this);
  }

  /**
   * How many unused bytes it keeps when streams, events or the device are waited for ({@code
   * cuMemPoolGetAttribute}).
   */
  public long releaseThresholdBytes() {
    return PoolCalls.releaseThreshold(checkedContext(), this);
  }

  /** Changes {@link #releaseThresholdBytes} ({@code cuMemPoolSetAttribute}); at first it is 0. */
  public void setReleaseThresholdBytes(long bytes) {
    Capture.refuse("MemoryPool.setReleaseThresholdBytes of '" + label() + "'");
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "MemoryPool '%s' cannot keep %d bytes.".formatted(label(), bytes));
    }
    PoolCalls.setReleaseThreshold(checkedContext(), this, bytes);
  }

  /** Whether a kind of reuse is allowed ({@code cuMemPoolGetAttribute}); at first all are. */
  public boolean allows(Reuse reuse) {
    return PoolCalls.allows(checkedContext(), this, reuse);
  }

  /** Allows or forbids a kind of reuse ({@code cuMemPoolSetAttribute}). */
  public void allow(Reuse reuse, boolean allowed) {
    Capture.refuse("MemoryPool.allow of '" + label() + "'");
    PoolCalls.allow(checkedContext(), this, reuse, allowed);
  }

  /**
   * Gives unused memory back to the device ({@code cuMemPoolTrimTo}).
   *
   * @param keepBytes how much it may keep, used memory included
   */
  public void trimTo(long keepBytes) {
    Capture.refuse("MemoryPool.trimTo of '" + label() + "'");
    if (keepBytes < 0) {
      throw new IllegalArgumentException(
          "MemoryPool '%s' cannot keep %d bytes.".formatted(label(), keepBytes));
    }
    device.context().retirement().drain();
    PoolCalls.trimTo(checkedContext(), this, keepBytes);
  }

  private Context checkedContext() {
    checkOpen();
    return device.context();
  }

  void checkOpen() {
    if (handle == null) {
      device.handle().checkOpen();
    } else {
      handle.checkOpen();
    }
  }

  MemorySegment value() {
    return value;
  }

  @Nullable MemoryPoolHandle handle() {
    return handle;
  }

  /** Whether {@link #close} was called; never so for the default pool. */
  public boolean isClosed() {
    return handle != null && handle.isClosed();
  }

  /** Destroys the pool once everything from it is freed; leaves the default pool as it is. */
  @Override
  public void close() {
    if (handle != null) {
      handle.close();
    }
  }

  @Override
  public String toString() {
    return "MemoryPool '" + label() + "'";
  }
}
