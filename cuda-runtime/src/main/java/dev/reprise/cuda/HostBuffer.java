package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;

/**
 * Page-locked host memory, the only host memory that asynchronous copies take: allocated by the
 * driver ({@link PinnedBuffer}), or the program's own ({@link RegisteredMemory}).
 *
 * <p>A copy or launch holds the memory until it is done: closing the buffer gives it back later.
 * The program must not write to what the device still reads, nor read what it still writes; an
 * {@link Event} recorded behind the operation tells when it may.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be used and closed during a capture, not made.
 * <b>Errors:</b> {@link IllegalStateException} for the use of one that is closed. See CUDA Driver
 * API, "Memory Management".
 */
public abstract sealed class HostBuffer implements AutoCloseable
    permits PinnedBuffer, RegisteredMemory {

  private final Device device;

  HostBuffer(Device device) {
    this.device = device;
  }

  /** The device it was made from. */
  public final Device device() {
    return device;
  }

  /** Its name in messages. */
  public final String label() {
    return handle().label();
  }

  /** The memory as the program sees it. */
  public abstract MemorySegment segment();

  /** Its bytes. */
  public final long size() {
    return handle().size();
  }

  /**
   * The address at which kernels see the memory ({@code cuMemHostGetDevicePointer}); {@link
   * KernelArg#read(HostBuffer)} and its like pass it. Borrowed: it is good while this buffer is
   * open and reachable.
   *
   * @throws IllegalStateException if the buffer is closed
   * @throws CudaException if the device cannot map it
   */
  public final long deviceAddress() {
    handle().checkOpen();
    return MemoryCalls.deviceAddress(device.context(), label(), handle().address());
  }

  /** A number that changes when the memory stops being what graphs captured under its label. */
  public final int epoch() {
    return handle().epoch();
  }

  /** Whether {@link #close} was called. */
  public final boolean isClosed() {
    return handle().isClosed();
  }

  /** Gives the memory back once no copy, launch or graph uses it; does not wait. */
  @Override
  public abstract void close();

  abstract RegionHandle handle();
}
