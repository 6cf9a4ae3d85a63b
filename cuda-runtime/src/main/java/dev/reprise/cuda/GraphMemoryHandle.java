package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a graph allocates. The address is fixed with the node; there is memory behind it from
 * a replay that allocates it to a free, which may be a node of the same graph.
 *
 * <p>The buffer that stands for it is closed with the graph at the latest, and is no leak. If the
 * memory is allocated when nothing refers to it any more, it is freed.
 */
final class GraphMemoryHandle extends RegionHandle {

  /** Guards what is allocated, which replays of several execs may change at once. */
  private static final Object STATE = new Object();

  private final DeviceHandle device;
  private final DeviceBuffer buffer;

  /** Allocated by the replays and frees that were issued. Written under {@link #STATE}. */
  private volatile boolean allocated;

  /** The capture that allocates it; over, or null for a node that was added. */
  private final @Nullable Capture capture;

  /** The numbers of other devices whose kernels may use it. */
  private final Set<Integer> peers;

  /** Whether the graph that allocates it frees it. */
  private volatile boolean freedInside;

  private volatile boolean closedWithGraph;

  /** The exec that has the node that allocates it; null before the first. */
  private volatile @Nullable GraphExecHandle exec;

  /** The caller has retained the device's handle. */
  GraphMemoryHandle(
      String label,
      Device facade,
      DeviceHandle device,
      @Nullable Capture capture,
      long address,
      long size,
      Set<Integer> peers) {
    super(ResourceKind.DEVICE_BUFFER, label, device.context(), List.of(device), address, size);
    this.device = device;
    this.capture = capture;
    this.peers = Set.copyOf(peers);
    this.buffer = new DeviceBuffer(facade, this);
  }

  /** That of a buffer; refuses memory that no graph allocates. */
  static GraphMemoryHandle of(DeviceBuffer buffer) {
    if (buffer.handle() instanceof GraphMemoryHandle memory) {
      return memory;
    }
    throw new IllegalArgumentException(
        "DeviceBuffer '%s' is not memory that a graph allocates; close it to free it."
            .formatted(buffer.label()));
  }

  /** Whether kernels of another device may use it. */
  boolean isOpenTo(int ordinal) {
    return peers.contains(ordinal);
  }

  /** What stands for it. */
  DeviceBuffer buffer() {
    return buffer;
  }

  /** Whether there is memory behind the address. */
  boolean isAllocated() {
    return allocated;
  }

  /** Notes that the graph which allocates it frees it, so that no other has to do with it. */
  void freedInside() {
    freedInside = true;
  }

  /** Notes the exec that allocates it, or null. */
  void exec(@Nullable GraphExecHandle allocating) {
    exec = allocating;
  }

  /** Refuses a second exec of the graph. */
  void checkNoExec(String graph) {
    GraphExecHandle other = exec;
    if (other != null && !other.isDestroyed()) {
      throw new IllegalStateException(
          "Graph '%s' allocates memory ('%s') and can have one GraphExec at a time; %s."
              .formatted(
                  graph,
                  label(),
                  other.isClosed()
                      ? "the one before is closed, but its replays are not done yet: wait for their stream"
                      : "close the one before first"));
    }
  }

  /**
   * Refuses its use by an operation on a stream while it is not allocated; in a capture, while it
   * is not allocated there.
   */
  void checkAllocated(Stream stream, @Nullable Capture current) {
    if (current != null) {
      current.memory().use(this, stream);
    } else if (!allocated) {
      throw notAllocated("used on stream '" + stream.label() + "'");
    }
  }

  private IllegalStateException notAllocated(String done) {
    return new IllegalStateException(
        "DeviceBuffer '%s' is memory of a graph and cannot be %s now: it is allocated by a replay of the graph, until it is freed."
            .formatted(label(), done));
  }

  /** Begins a free in stream order. */
  void beginFree(Stream stream) {
    synchronized (STATE) {
      if (!allocated) {
        throw notAllocated("freed on stream '" + stream.label() + "'");
      }
      allocated = false;
    }
  }

  /** Undoes {@link #beginFree}: the driver refused. */
  void undoFree() {
    synchronized (STATE) {
      allocated = true;
    }
  }

  /** Begins a replay: checks what it needs, then notes what it leaves. */
  static void beginReplay(
      String graph,
      boolean autoFree,
      GraphMemoryHandle[] needs,
      GraphMemoryHandle[] leaves,
      GraphMemoryHandle[] frees,
      boolean[] before) {
    synchronized (STATE) {
      for (GraphMemoryHandle memory : needs) {
        if (!memory.allocated) {
          throw StaleGraphException.notAllocated(graph, memory.label(), memory.epoch());
        }
      }
      for (int i = 0; i < leaves.length; i++) {
        before[i] = leaves[i].allocated;
        if (before[i] && !autoFree) {
          throw new IllegalStateException(
              "Graph '%s' cannot be replayed: DeviceBuffer '%s' of its last replay is still allocated. Free it by Stream.free, or instantiate the graph with autoFreeOnLaunch."
                  .formatted(graph, leaves[i].label()));
        }
      }
      for (GraphMemoryHandle memory : leaves) {
        memory.allocated = true;
      }
      for (GraphMemoryHandle memory : frees) {
        memory.allocated = false;
      }
    }
  }

  /** Undoes {@link #beginReplay}: the driver refused. */
  static void undoReplay(GraphMemoryHandle[] leaves, GraphMemoryHandle[] frees, boolean[] before) {
    synchronized (STATE) {
      for (int i = 0; i < leaves.length; i++) {
        leaves[i].allocated = before[i];
      }
      for (GraphMemoryHandle memory : frees) {
        memory.allocated = true;
      }
    }
  }

  /** In the capture that allocates it, the free is captured as well. */
  @Override
  void closeFacade() {
    Capture own = capture;
    if (own != null && !own.isOver() && !isClosed()) {
      own.memory().freeOnItsStream(this);
    }
    close();
  }

  /** Closes the buffer because its graph is gone; execs of the graph go on. */
  void closeWithGraph() {
    closedWithGraph = true;
    close();
  }

  @Override
  protected void closing() {
    if (!freedInside && !closedWithGraph) {
      changeEpoch();
    }
  }

  @Override
  protected void destroy() {
    if (allocated) {
      device.memory().free(label(), address(), size());
    }
  }
}
