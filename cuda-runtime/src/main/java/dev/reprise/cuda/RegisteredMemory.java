package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;

/**
 * Native memory of the program, page-locked while it is registered ({@code cuMemHostRegister}), so
 * that asynchronous copies and kernels can use it where it is.
 *
 * <p>The program keeps the memory alive until the registration is over, which is after {@link
 * #close} and the last use by the device; an arena that it belongs to must not be closed before.
 * Registering the same range again gives another object that shares the registration; it ends with
 * the last of them. A range that overlaps a registered one in part is refused.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be used and closed during a capture, not made. See
 * CUDA Driver API, "Memory Management", {@code cuMemHostRegister}.
 */
public final class RegisteredMemory extends HostBuffer {

  private final RegisteredMemoryHandle handle;
  private final MemorySegment segment;

  RegisteredMemory(Device device, RegisteredMemoryHandle handle, MemorySegment segment) {
    super(device);
    this.handle = handle;
    this.segment = segment;
    handle.watch(this);
  }

  /** The memory that was registered. */
  @Override
  public MemorySegment segment() {
    return segment;
  }

  /** Ends the registration, if no other object shares it, once the device is done with it. */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  RegisteredMemoryHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "RegisteredMemory '%s' (%d bytes)".formatted(label(), size());
  }
}
