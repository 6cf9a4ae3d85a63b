package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;

/**
 * Device addresses that are reserved once, and filled with memory from the beginning as it is
 * needed: growing moves nothing, so pointers into the range, prepared launches and captured graphs
 * stay good.
 *
 * <p>{@link #buffer} is the memory that is mapped, to be used as any {@link DeviceBuffer}; its size
 * grows with the range. A kernel that touches an address that is reserved but not mapped fails with
 * {@code CUDA_ERROR_ILLEGAL_ADDRESS}.
 *
 * <p>{@link #grow} leaves the epoch as it is. {@link #shrink}, if it removes anything, and {@link
 * #close} change it, so that graphs which captured the range are refused from then on.
 *
 * <p><b>Threads:</b> any, one at a time for {@link #grow} and {@link #shrink}. <b>Streams:</b>
 * growing waits for nothing and may be done while work on the range is in flight. <b>Capture:</b>
 * may be used and closed during a capture; reserving, growing and shrinking are refused. See CUDA
 * Driver API, "Virtual Memory Management".
 */
public final class VirtualRange implements AutoCloseable {

  private final Device device;
  private final VirtualRangeHandle handle;
  private final DeviceBuffer buffer;

  private VirtualRange(Device device, VirtualRangeHandle handle) {
    this.device = device;
    this.handle = handle;
    this.buffer = new DeviceBuffer(device, handle);
    // Whoever holds the range holds the buffer too.
    handle.watch(buffer);
  }

  static VirtualRange reserve(Device device, String label, long bytes) {
    Context context = device.context();
    DeviceHandle owner = device.handle();
    long granularity = VirtualMemoryCalls.granularity(context, owner.device());
    long reserved = roundUp(label, bytes, granularity);
    VirtualRangeHandle handle =
        HandleNode.under(
            owner,
            () ->
                new VirtualRangeHandle(
                    label,
                    owner,
                    VirtualMemoryCalls.reserve(context, label, reserved),
                    reserved,
                    granularity));
    return new VirtualRange(device, handle);
  }

  private static long roundUp(String label, long bytes, long granularity) {
    if (bytes > Long.MAX_VALUE - granularity) {
      throw new IllegalArgumentException(
          "VirtualRange '%s' cannot have %d bytes.".formatted(label, bytes));
    }
    return (bytes + granularity - 1) / granularity * granularity;
  }

  /** The device whose memory it is. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /**
   * The first device address; the same for ever.
   *
   * @throws IllegalStateException if the range is closed
   */
  public long address() {
    handle.checkOpen();
    return handle.address();
  }

  /** How many bytes it can grow to. */
  public long reservedBytes() {
    return handle.reserved();
  }

  /** How many bytes from the beginning are memory now. */
  public long mappedBytes() {
    return handle.size();
  }

  /** What it grows by multiples of, in bytes. */
  public long granularity() {
    return handle.granularity();
  }

  /**
   * The mapped memory, always the same object. Its offsets are those of the range; closing it
   * closes the range. It can be used once something is mapped.
   */
  public DeviceBuffer buffer() {
    return buffer;
  }

  /** A number that changes when graphs that captured the range become stale. */
  public int epoch() {
    return handle.epoch();
  }

  /**
   * Maps more memory behind what is mapped ({@code cuMemMap}); what is there keeps its addresses
   * and contents, the new memory's contents are undefined.
   *
   * @param bytes how many more, at least 1; rounded up to {@link #granularity}
   * @return {@link #mappedBytes} now
   * @throws IllegalArgumentException if that is more than is reserved
   * @throws CudaException with {@code CUDA_ERROR_OUT_OF_MEMORY} if the device has not so much; the
   *     range is as it was
   */
  public long grow(long bytes) {
    Capture.refuse("VirtualRange.grow of '" + label() + "'");
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "VirtualRange '%s' cannot grow by %d bytes.".formatted(label(), bytes));
    }
    device.context().retirement().drain();
    synchronized (this) {
      handle.checkOpen();
      long more = roundUp(label(), bytes, granularity());
      if (more > reservedBytes() - mappedBytes()) {
        throw new IllegalArgumentException(
            "VirtualRange '%s' cannot grow by %d bytes: %d of its %d bytes are mapped. Reserve more at the start."
                .formatted(label(), more, mappedBytes(), reservedBytes()));
      }
      // Keeps a close on another thread from unmapping what is being mapped.
      handle.retain();
      try {
        handle.add(more);
      } finally {
        handle.release();
      }
      return mappedBytes();
    }
  }

  /**
   * Gives memory at the end back to the device, in the pieces that {@link #grow} added: what
   * remains is the least number of them that hold {@code keepBytes} ({@code cuMemUnmap}). Waits for
   * all work on the device, and first for a capture of another thread.
   *
   * <p>Graphs that captured the range become stale if anything is removed. No other thread may
   * issue work on the removed part meanwhile.
   *
   * @param keepBytes how many bytes from the beginning are still needed, 0 or more
   * @return {@link #mappedBytes} now
   */
  public long shrink(long keepBytes) {
    Capture.refuse("VirtualRange.shrink of '" + label() + "'");
    if (keepBytes < 0) {
      throw new IllegalArgumentException(
          "VirtualRange '%s' cannot keep %d bytes.".formatted(label(), keepBytes));
    }
    synchronized (this) {
      handle.checkOpen();
      handle.retain();
      try {
        long surplus = handle.behind(keepBytes);
        if (surplus > 0) {
          handle.changeEpoch();
          removeWhenIdle(surplus);
        }
      } finally {
        handle.release();
      }
      return mappedBytes();
    }
  }

  private void removeWhenIdle(long bytes) {
    Context context = device.context();
    context.captureLock().lock();
    try {
      context.synchronize();
      handle.remove(bytes);
    } finally {
      context.captureLock().unlock();
    }
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Gives memory and addresses back once no stream and no graph uses them; does not wait. */
  @Override
  public void close() {
    handle.close();
  }

  VirtualRangeHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "VirtualRange '%s' (%d of %d bytes)".formatted(label(), mappedBytes(), reservedBytes());
  }
}
