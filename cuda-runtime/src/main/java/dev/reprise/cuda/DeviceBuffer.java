package dev.reprise.cuda;

/**
 * Device memory at an address that stays the same until it is closed.
 *
 * <p>Closing it never waits: the memory is freed once the streams that use it are past their last
 * use, and graphs that captured it keep it until they are closed. A graph that captured it is
 * refused from then on, see {@link StaleGraphException}.
 *
 * <p>The memory of a graph, see {@link MemoryAllocNode#buffer()}, is there only from a replay that
 * allocates it until it is freed, and its operations are refused at other times.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be used and closed during a capture; what is
 * allocated in one is memory of the graph. See CUDA Driver API, "Memory Management".
 */
public final class DeviceBuffer implements AutoCloseable {

  private final Device device;
  private final RegionHandle handle;

  DeviceBuffer(Device device, RegionHandle handle) {
    this.device = device;
    this.handle = handle;
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
   * The device address ({@code CUdeviceptr}). Borrowed: it is good while this buffer is open and
   * reachable.
   *
   * @throws IllegalStateException if the buffer is closed
   */
  public long address() {
    handle.checkOpen();
    return handle.address();
  }

  /** Its bytes; those mapped now, if it is the buffer of a {@link VirtualRange}. */
  public long size() {
    return handle.size();
  }

  /**
   * How many bytes from its address are its own: {@link #size}, or all that is reserved, mapped or
   * not, if it is the buffer of a {@link VirtualRange}.
   */
  public long reach() {
    return handle.reach();
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
   * Frees the memory once no stream and no graph uses it; does not wait. In the capture that
   * allocated it, it is freed by a node of the graph.
   */
  @Override
  public void close() {
    handle.closeFacade();
  }

  RegionHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "DeviceBuffer '%s' (%d bytes)".formatted(label(), size());
  }
}
