package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;

/**
 * Where the device memory of one context comes from.
 *
 * <p>{@code cuMemFree} waits for all work of the device, so memory is taken from the device's
 * default pool on a stream that does nothing else: by then no stream uses the memory, so that a
 * free has nothing to wait for and holds up nothing. Devices without pools get {@code cuMemAlloc}.
 */
final class DeviceMemory {

  private final Context context;

  /** The stream of allocations and frees; NULL on a device without memory pools. */
  private final MemorySegment stream;

  private DeviceMemory(Context context, MemorySegment stream) {
    this.context = context;
    this.stream = stream;
  }

  static DeviceMemory open(Context context, int device) {
    boolean pools = DeviceCalls.attribute(device, DeviceAttribute.MEMORY_POOLS_SUPPORTED) != 0;
    return new DeviceMemory(context, pools ? StreamCalls.create(context, 0) : MemorySegment.NULL);
  }

  /** Whether it comes from the default pool of the device. */
  boolean pooled() {
    return stream.address() != 0;
  }

  /** Memory that every stream may use at once. */
  long allocate(String label, long bytes) {
    if (!pooled()) {
      return MemoryCalls.allocate(context, label, bytes);
    }
    long address = MemoryCalls.allocateAsync(context, label, bytes, stream);
    try {
      // Nothing but allocations and frees is on this stream: the wait is for them alone.
      StreamCalls.synchronize(context, stream, "device memory");
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> MemoryCalls.freeAsync(context, label, address, bytes, stream));
      throw e;
    }
    return address;
  }

  /** Frees memory that no stream uses any more. */
  void free(String label, long address, long bytes) {
    if (pooled()) {
      MemoryCalls.freeAsync(context, label, address, bytes, stream);
    } else {
      MemoryCalls.free(context, label, address, bytes);
    }
  }

  /** Gives what was freed back to the device; all memory must have been freed. */
  void close() {
    if (pooled()) {
      Cleanup.all(
          () -> StreamCalls.synchronize(context, stream, "device memory"),
          () -> StreamCalls.destroy(context, stream));
    }
  }
}
