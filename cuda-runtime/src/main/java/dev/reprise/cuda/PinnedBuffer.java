package dev.reprise.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Page-locked host memory, the only host memory that asynchronous copies take.
 *
 * <p>A copy holds the memory until it is done: closing the buffer ends the program's access at once
 * and frees the memory later. The program must not write to what a copy still reads, nor read what
 * a copy still writes; an {@link Event} recorded behind the copy tells when it may.
 *
 * <p><b>Threads:</b> any; the segment is shared. <b>Capture:</b> may be used and closed during a
 * capture, not allocated. See CUDA Driver API, "Memory Management", {@code cuMemHostAlloc}.
 */
public final class PinnedBuffer implements AutoCloseable {

  private final Device device;
  private final PinnedMemoryHandle handle;
  private final Arena access = Arena.ofShared();
  private final MemorySegment segment;

  PinnedBuffer(Device device, PinnedMemoryHandle handle) {
    this.device = device;
    this.handle = handle;
    this.segment =
        MemorySegment.ofAddress(handle.address()).reinterpret(handle.size(), access, null);
    // A slice of the segment may outlive this object, and its scope with it.
    handle.watch(access.scope());
  }

  /** The device it was allocated from. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /** The memory; access throws {@link IllegalStateException} once the buffer is closed. */
  public MemorySegment segment() {
    return segment;
  }

  /** Its bytes. */
  public long size() {
    return handle.size();
  }

  /** A number that changes when the memory stops being what graphs captured under its label. */
  public int epoch() {
    return handle.epoch();
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /**
   * Ends access to {@link #segment} and frees the memory once no copy and no graph uses it. The
   * driver waits for all work of the device when it frees page-locked memory; keep such memory for
   * as long as the program streams through it.
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

  PinnedMemoryHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "PinnedBuffer '%s' (%d bytes)".formatted(label(), size());
  }
}
