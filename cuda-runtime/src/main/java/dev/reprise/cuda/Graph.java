package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Captured work as a graph of operations; {@link #instantiate} makes it runnable.
 *
 * <p>It owns what it captured: closing a buffer, module or event that it uses only marks that
 * closed; the driver object lives on until this graph and every {@link GraphExec} made from it are
 * closed. Replays are refused once a captured buffer is closed, see {@link StaleGraphException}.
 *
 * <p><b>Threads:</b> any, one at a time: the driver's graphs are not thread-safe. See CUDA Driver
 * API, "Graph Management".
 */
public final class Graph implements AutoCloseable {

  private final Device device;
  private final GraphHandle handle;
  private final CaptureLedger.Captured captured;

  Graph(Device device, String label, MemorySegment value, CaptureLedger.Captured captured) {
    this.device = device;
    this.captured = captured;
    this.handle = new GraphHandle(label, device.context(), value, captured.nodes());
    handle.watch(this);
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /** The number of nodes. */
  public synchronized int nodeCount() {
    handle.checkOpen();
    return GraphCalls.nodeCount(device.context(), handle);
  }

  /** The memory that it captured, each buffer once, in the order of first use. */
  public List<Region> regions() {
    return captured.regions();
  }

  /** Every pointer that it captured, in the order of the operations. */
  public List<CapturedPointer> pointers() {
    return captured.pointers();
  }

  /**
   * Makes the graph runnable ({@code cuGraphInstantiate}). The result shares nothing with this
   * graph but what both own.
   *
   * @throws StaleGraphException if a captured buffer was closed
   */
  public synchronized GraphExec instantiate() {
    Capture.refuse("Graph.instantiate of '" + label() + "'");
    handle.checkOpen();
    checkFresh();
    device.context().retirement().drain();
    List<HandleNode> nodes = captured.nodes();
    nodes.forEach(HandleNode::retain);
    try {
      MemorySegment exec = GraphCalls.instantiate(device.context(), handle);
      return new GraphExec(
          device, new GraphExecHandle(label(), device.context(), exec, nodes), captured);
    } catch (Throwable e) {
      nodes.forEach(HandleNode::release);
      throw e;
    }
  }

  private void checkFresh() {
    for (int i = 0; i < captured.handles().size(); i++) {
      Region region = captured.regions().get(i);
      int epoch = captured.handles().get(i).epoch();
      if (epoch != region.epoch()) {
        throw new StaleGraphException(label(), region.label(), region.epoch(), epoch);
      }
    }
  }

  /**
   * The nodes and edges in the DOT language, as the driver prints them.
   *
   * @throws UncheckedIOException if the temporary file for it cannot be written or read
   */
  public synchronized String toDot() {
    handle.checkOpen();
    try {
      Path file = Files.createTempFile("reprise-graph", ".dot");
      try {
        GraphCalls.writeDot(device.context(), handle, file);
        return Files.readString(file, StandardCharsets.UTF_8);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Destroys the graph and lets go of what it captured. */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "Graph '" + label() + "'";
  }
}
