package dev.reprise.cuda;

import java.util.List;

/**
 * A graph that can run. One replay is one driver call, and two replays of one exec never overlap.
 *
 * <p>It owns what was captured, as its {@link Graph} does, which may be closed before it. Closing
 * it waits for nothing: it is destroyed after the replays in flight.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> replays and uploads into a stream that is being captured
 * are refused. See CUDA Driver API, "Graph Management", {@code cuGraphLaunch}.
 */
public final class GraphExec implements AutoCloseable {

  private final Device device;
  private final GraphExecHandle handle;
  private final CaptureLedger.Captured captured;
  private final RegionHandle[] regions;
  private final int[] epochs;

  /** {@link Epochs#changes()} when all epochs were last compared and found unchanged. */
  private volatile long freshAt = -1;

  GraphExec(Device device, GraphExecHandle handle, CaptureLedger.Captured captured) {
    this.device = device;
    this.handle = handle;
    this.captured = captured;
    this.regions = captured.handles().toArray(new RegionHandle[0]);
    this.epochs = captured.regions().stream().mapToInt(Region::epoch).toArray();
    handle.watch(this);
  }

  /** Its name in messages, that of its graph. */
  public String label() {
    return handle.label();
  }

  /** The device it runs on. */
  public Device device() {
    return device;
  }

  /** The memory that it uses, each buffer once. */
  public List<Region> regions() {
    return captured.regions();
  }

  /**
   * Moves the graph to the device without running it, so that the first replay is as fast as the
   * others ({@code cuGraphUpload}).
   *
   * @throws StaleGraphException if a captured buffer was closed
   */
  public void upload(Stream stream) {
    stream.upload(this);
  }

  /**
   * Runs the graph once, in the order of the stream. Allocates nothing on the Java heap.
   *
   * @throws StaleGraphException if a captured buffer was closed since the capture
   */
  public void replay(Stream stream) {
    stream.replay(this);
  }

  /** Refuses a graph of which a region has changed. */
  void checkFresh() {
    long changes = Epochs.changes();
    if (changes != freshAt) {
      compareEpochs();
      freshAt = changes;
    }
  }

  private void compareEpochs() {
    for (int i = 0; i < regions.length; i++) {
      int epoch = regions[i].epoch();
      if (epoch != epochs[i]) {
        throw new StaleGraphException(label(), regions[i].label(), epochs[i], epoch);
      }
    }
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Destroys it after the replays in flight, then lets go of what it captured. */
  @Override
  public void close() {
    handle.close();
  }

  GraphExecHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "GraphExec '" + label() + "'";
  }
}
