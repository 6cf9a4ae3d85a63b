package dev.reprise.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Page-locked host memory from the driver.
 *
 * <p><b>Threads:</b> any; the segment is shared. <b>Capture:</b> may be used and closed during a
 * capture, not allocated. See CUDA Driver API, "Memory Management", {@code cuMemHostAlloc}.
 */
public final class PinnedBuffer extends HostBuffer {

  private final PinnedMemoryHandle handle;
  private final Arena access = Arena.ofShared();
  private final MemorySegment segment;

  PinnedBuffer(Device device, PinnedMemoryHandle handle) {
    super(device);
    this.handle = handle;
    this.segment =
        MemorySegment.ofAddress(handle.address()).reinterpret(handle.size(), access, null);
    // A slice of the segment may outlive this object, and its scope with it.
    handle.watch(access.scope());
  }

  /** The memory; access throws {@link IllegalStateException} once the buffer is closed. */
  @Override
  public MemorySegment segment() {
    return segment;
  }

  /**
   * Ends access to {@link #segment} and frees the memory once no copy, launch or graph uses it. The
   * driver waits for all work of the device when it frees page-locked memory, so a library thread
   * does it, which holds up nothing else; keep such memory for as long as the program streams
   * through it.
   *
   * @throws IllegalStateException if a native call of another thread is using the segment now; the
   *     buffer stays open
   */
  @Override
  public synchronized void close() {
    if (!handle.isClosed()) {
      access.close();
      handle.close();
    }
  }

  @Override
  PinnedMemoryHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "PinnedBuffer '%s' (%d bytes)".formatted(label(), size());
  }
}
