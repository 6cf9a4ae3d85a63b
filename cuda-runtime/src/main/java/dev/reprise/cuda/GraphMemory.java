package dev.reprise.cuda;

/**
 * The memory that a device keeps for the allocations of graphs, apart from its {@link MemoryPool}s.
 *
 * <p>An executable graph takes what it allocates at its first replay or upload, and keeps it for
 * the next; when it is closed the memory stays for other graphs, until {@link #trim}. The driver
 * may let graphs share memory, and takes it in pieces of its own size.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be asked during a capture; trimming and resetting are
 * refused. See CUDA Driver API, "Graph Management", {@code cuDeviceGetGraphMemAttribute}.
 */
public final class GraphMemory {

  private final Device device;

  GraphMemory(Device device) {
    this.device = device;
  }

  /** Bytes that graphs have now. */
  public long usedBytes() {
    return GraphMemoryCalls.usedBytes(context(), ordinal());
  }

  /** The most of {@link #usedBytes} since {@link #resetHighWaterMarks}. */
  public long usedHighBytes() {
    return GraphMemoryCalls.usedHighBytes(context(), ordinal());
  }

  /** Bytes that are taken from the device for graphs, used or not. */
  public long reservedBytes() {
    return GraphMemoryCalls.reservedBytes(context(), ordinal());
  }

  /** The most of {@link #reservedBytes} since {@link #resetHighWaterMarks}. */
  public long reservedHighBytes() {
    return GraphMemoryCalls.reservedHighBytes(context(), ordinal());
  }

  /** Sets both high-water marks to what is so now. */
  public void resetHighWaterMarks() {
    Capture.refuse("GraphMemory.resetHighWaterMarks");
    GraphMemoryCalls.resetHighWaterMarks(context(), ordinal());
  }

  /**
   * Gives the device back what no replay in flight and no allocated memory uses ({@code
   * cuDeviceGraphMemTrim}). The next replay of a graph that had it takes it again.
   */
  public void trim() {
    Capture.refuse("GraphMemory.trim");
    device.context().retirement().drain();
    GraphMemoryCalls.trim(context(), ordinal());
  }

  private Context context() {
    device.handle().checkOpen();
    return device.context();
  }

  private int ordinal() {
    return device.handle().device();
  }
}
