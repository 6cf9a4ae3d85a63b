package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.CallbackThread;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A graph that can run. One replay is one driver call, and two replays of one exec never overlap.
 *
 * <p>It owns what its next replay uses, apart from the {@link Graph} that it was made from, which
 * may be closed before it. Closing it waits for nothing: it is destroyed after the replays in
 * flight. What an update or a {@code set} takes out of use is let go after the replays in flight.
 *
 * <p>{@link #update} and the {@code set} methods change later replays, never one that was issued
 * before. The {@code set} methods name nodes of the graph that it was made from, which must be open
 * and still have the node.
 *
 * <p><b>Threads:</b> any; calls of several threads are made one after the other, since the driver's
 * executable graphs are not thread-safe. <b>Capture:</b> replays and uploads into a stream that is
 * being captured are refused; the rest is allowed during a capture and has no part in it.
 * <b>Errors:</b> {@link IllegalStateException} for what is closed or removed, {@link CudaException}
 * from the driver; a call that fails changes nothing. See CUDA Driver API, "Graph Management",
 * {@code cuGraphLaunch}, and CUDA Programming Guide, "Updating Instantiated Graphs".
 */
public final class GraphExec implements AutoCloseable {

  private final Device device;
  private final GraphExecHandle handle;
  private final GraphHandle source;

  /** Whether it has host functions; no change of an exec adds or removes a node. */
  private final boolean callsHost;

  /** Keeps the calls about one exec apart. Taken after the lock of a graph, before a stream's. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Over the regions of the next replay; null when they have changed. Guarded by the lock. */
  private @Nullable RegionWatch watch;

  // For the check of accesses, guarded by the lock.

  /** What the next replay does; null when that has changed. */
  private @Nullable ReplayAccess access;

  /** The point at which the last replay ends. */
  private @Nullable Clock replayed;

  /** Nodes that are switched off, as long as the driver's own account of them is not needed. */
  private final Set<Long> off = new HashSet<>();

  /** What the next replay does to memory of graphs; null for nothing. Changes with the watch. */
  private @Nullable GraphMemoryUse memory;

  GraphExec(Device device, GraphExecHandle handle, GraphHandle source) {
    this.device = device;
    this.handle = handle;
    this.source = source;
    this.callsHost = handle.contents().callHost();
    this.watch = RegionWatch.over(handle.contents().all());
    this.memory = GraphMemoryUse.of(device.context(), handle);
    handle.contents().allocated().forEach(allocated -> allocated.exec(handle));
    handle.watch(this);
  }

  /** Instantiates a graph, whose lock is held. */
  static GraphExec of(Graph graph, InstantiateOptions options) {
    DeviceHandle device = graph.device().handle();
    GraphContents contents = graph.contents().copy();
    try {
      GraphExecHandle exec =
          HandleNode.under(
              device,
              () ->
                  new GraphExecHandle(
                      graph.label(),
                      device,
                      GraphCalls.instantiate(graph.context(), graph.handle(), options),
                      contents));
      return new GraphExec(graph.device(), exec, graph.handle());
    } catch (Throwable e) {
      contents.release();
      throw e;
    }
  }

  /** Its name in messages, that of its graph. */
  public String label() {
    return handle.label();
  }

  /**
   * The driver's {@code CUgraphExec}, for calls that the runtime does not have. Borrowed: it is
   * good while this is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the executable graph is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return handle.value();
  }

  /** The device it runs on. */
  public Device device() {
    return device;
  }

  /** The memory that its next replay uses, each buffer once. */
  public List<Region> regions() {
    lock.lock();
    try {
      return handle.contents().regions();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves the graph to the device without running it, so that the first replay is as fast as the
   * others ({@code cuGraphUpload}).
   *
   * @throws StaleGraphException if a buffer in use was closed
   */
  public void upload(Stream stream) {
    CallbackThread.refuse("GraphExec.upload");
    lock.lock();
    try {
      stream.replays().upload(this);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs the graph once, in the order of the stream ({@code cuGraphLaunch}). Allocates nothing on
   * the Java heap, except for the first time after an update.
   *
   * @throws StaleGraphException if a buffer in use was closed, or is memory of another graph that
   *     is not allocated
   * @throws IllegalStateException if memory that the graph allocates and does not free is still
   *     allocated, and it was not instantiated with {@code autoFreeOnLaunch}; or if it calls host
   *     functions and the process is ending
   */
  public void replay(Stream stream) {
    CallbackThread.refuse("GraphExec.replay");
    lock.lock();
    try {
      stream.replays().replay(this);
    } finally {
      lock.unlock();
    }
  }

  /** Refuses a graph of which a region has changed; the lock is held. */
  void checkFresh() {
    RegionWatch current = watch;
    if (current == null) {
      current = RegionWatch.over(handle.contents().all());
      memory = GraphMemoryUse.of(device.context(), handle);
      watch = current;
    }
    current.check(label());
  }

  /** Whether a replay calls host functions. */
  boolean callsHost() {
    return callsHost;
  }

  /** Takes note of a replay before the driver sees it; the lock is held. */
  void checkReplay(StreamAccess stream) {
    ReplayAccess current = access;
    if (current == null) {
      current = new ReplayAccess(label(), handle.contents().allBut(off));
      access = current;
    }
    current.issue(stream, replayed);
  }

  /** Takes note of a replay that the driver has; the lock is held. */
  void replayIssued(StreamAccess stream) {
    ReplayAccess current = access;
    if (current != null) {
      replayed = current.issued(stream);
    }
  }

  /**
   * Makes the driver call of a replay; the locks of this and of the stream are held, and {@link
   * #checkFresh} was asked.
   */
  void launch(StreamHandle stream) {
    GraphMemoryUse uses = memory;
    if (uses == null) {
      call(stream);
      return;
    }
    uses.begin(label());
    boolean issued = false;
    try {
      call(stream);
      issued = true;
    } finally {
      if (!issued) {
        uses.undo();
      }
    }
  }

  private void call(StreamHandle stream) {
    HotCalls calls = device.context().hotCalls();
    device.context().makeCurrent();
    int code = calls.launchGraph(handle.value(), stream.value());
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuGraphLaunch", "graph", label(), "stream", stream.label());
    }
  }

  /**
   * Takes over another graph of the same shape, so that later replays run it ({@code
   * cuGraphExecUpdate}). Nodes are paired by the order in which they were made. It owns what the
   * other uses now; what only the old one used is let go after the replays in flight. Nodes that
   * are switched off stay off.
   *
   * <p>Afterwards a {@code set} of a node adds to what is owned until the next update: which node
   * of the other graph it replaces only the driver knows.
   *
   * @return whether it was updated, and if not, the reason; it then runs what it ran before
   * @throws StaleGraphException if a buffer that the other uses was closed
   */
  public GraphUpdateResult update(Graph graph) {
    CallbackThread.refuse("GraphExec.update");
    device.context().checkSame(graph.context(), "Graph", graph.label());
    graph.refuseBody("what an executable graph takes over");
    synchronized (graph.lock()) {
      graph.checkOpen();
      graph.checkFresh();
      GraphAccess.check(graph.handle());
      lock.lock();
      try {
        return updateLocked(graph);
      } finally {
        lock.unlock();
      }
    }
  }

  private GraphUpdateResult updateLocked(Graph graph) {
    begin();
    GraphContents contents = graph.contents().copy();
    boolean taken = false;
    try {
      GraphCalls.Update update = GraphCalls.update(device.context(), handle, graph.handle());
      GraphUpdateResult result =
          new GraphUpdateResult(
              GraphUpdateResult.Reason.of(update.result()),
              graph.find(update.node()),
              graph.find(update.from()));
      if (result.updated()) {
        taken = true;
        handle.contents().allocated().forEach(allocated -> allocated.exec(null));
        handle.contents().replaceBy(contents, handle);
        handle.contents().allocated().forEach(allocated -> allocated.exec(handle));
        changed();
      }
      return result;
    } finally {
      if (!taken) {
        contents.release();
      }
      end();
    }
  }

  /**
   * Takes over another graph by {@link #update} if possible; otherwise instantiates it and closes
   * this exec. The result says which, and holds the exec to go on with.
   */
  public GraphRenewal renew(Graph graph) {
    GraphUpdateResult result = update(graph);
    if (result.updated()) {
      return new GraphRenewal(this, result);
    }
    GraphExec fresh = graph.instantiate();
    close();
    return new GraphRenewal(fresh, result);
  }

  /**
   * Gives a kernel node another launch ({@code cuGraphExecKernelNodeSetParams}); the arguments are
   * copied now. The attributes of the node stay.
   *
   * @throws IllegalArgumentException for a launch with attributes other than those of the node
   */
  public void set(KernelNode node, PreparedLaunch launch) {
    LaunchAttributes wanted = launch.attributes();
    if (!wanted.equals(LaunchAttributes.NONE) && !wanted.equals(node.attributes())) {
      throw new IllegalArgumentException(
          "%s has the attributes %s, which an executable graph cannot change to %s; set them on the node and instantiate or update."
              .formatted(node, node.attributes(), wanted));
    }
    change(
        node,
        uses -> node.graph().enter(launch, uses),
        () -> GraphExecNodeCalls.setKernel(device.context(), handle, node, launch));
  }

  /**
   * Gives a copy node another copy ({@code cuGraphExecMemcpyNodeSetParams}), between the same kinds
   * of memory as before.
   */
  public void set(CopyNode node, CopyOperation copy) {
    change(
        node,
        uses -> copy.enter(device.context(), uses),
        () -> GraphExecNodeCalls.setCopy(device.context(), handle, node, copy));
  }

  /** Gives a fill node another fill ({@code cuGraphExecMemsetNodeSetParams}). */
  public void set(FillNode node, FillOperation fill) {
    change(
        node,
        uses -> fill.enter(device.context(), uses),
        () -> GraphExecNodeCalls.setFill(device.context(), handle, node, fill));
  }

  /**
   * Gives a batch other addresses and values ({@code cuGraphExecBatchMemOpNodeSetParams}); the
   * number of operations and what each is stay.
   */
  public void set(BatchMemoryNode node, List<WordOperation> operations) {
    List<WordOperation> all = List.copyOf(operations);
    change(
        node,
        uses -> BatchMemoryCalls.enter(device.context(), all, uses),
        () -> BatchMemoryCalls.setInExec(device.context(), handle, node, all));
  }

  /**
   * Gives a signal another semaphore or value ({@code
   * cuGraphExecExternalSemaphoresSignalNodeSetParams}).
   */
  public void set(SemaphoreSignalNode node, ExternalSemaphore semaphore, long value) {
    set(node, new SemaphoreUse(semaphore, value, true));
  }

  /**
   * Gives a wait another semaphore or value ({@code
   * cuGraphExecExternalSemaphoresWaitNodeSetParams}).
   */
  public void set(SemaphoreWaitNode node, ExternalSemaphore semaphore, long value) {
    set(node, new SemaphoreUse(semaphore, value, false));
  }

  private void set(GraphNode node, SemaphoreUse use) {
    change(
        node,
        uses -> use.enter(device.context(), uses),
        () -> SemaphoreCalls.setInExec(device.context(), handle, node.value(), use));
  }

  /** Gives a host node another function ({@code cuGraphExecHostNodeSetParams}). */
  public void set(HostNode node, HostFunction function) {
    HostFunctionHandle host = node.graph().hostFunction(function);
    try {
      change(
          node,
          uses -> uses.retain(function, host),
          () -> GraphExecNodeCalls.setHost(device.context(), handle, node, host));
    } finally {
      host.close();
    }
  }

  /**
   * Gives a child graph node another graph of the same shape ({@code
   * cuGraphExecChildGraphNodeSetParams}).
   */
  public void set(ChildGraphNode node, Graph child) {
    device.context().checkSame(child.context(), "Graph", child.label());
    // Copied first, so that the locks of two graphs are never held at once.
    try (Graph copy = child.copy(child.label())) {
      change(
          node,
          uses -> uses.addAll(copy.contents()),
          () -> GraphExecNodeCalls.setChild(device.context(), handle, node, copy.handle()));
    }
  }

  /** Gives a node another event to record ({@code cuGraphExecEventRecordNodeSetEvent}). */
  public void set(EventRecordNode node, Event event) {
    change(
        node,
        uses -> node.graph().enterRecord(event, uses),
        () -> GraphExecNodeCalls.setEventRecord(device.context(), handle, node, event.handle()));
  }

  /** Gives a node another event to wait for ({@code cuGraphExecEventWaitNodeSetEvent}). */
  public void set(EventWaitNode node, Event event) {
    change(
        node,
        uses -> node.graph().enterWait(event, uses),
        () -> GraphExecNodeCalls.setEventWait(device.context(), handle, node, event.handle()));
  }

  private void change(GraphNode node, Consumer<CaptureLedger> enter, Runnable set) {
    onNode(
        node,
        () -> {
          Attachment old = handle.contents().change(node.value().address(), enter, set);
          if (old != null) {
            old.releaseAfter(handle);
          }
          changed();
        });
  }

  /**
   * Switches a kernel, copy or fill node off or on ({@code cuGraphNodeSetEnabled}). A node that is
   * off does nothing and keeps its place in the order.
   */
  public void setEnabled(GraphNode node, boolean enabled) {
    onNode(
        node,
        () -> {
          GraphExecNodeCalls.setEnabled(device.context(), handle, node, enabled);
          if (enabled) {
            off.remove(node.value().address());
          } else {
            off.add(node.value().address());
          }
          access = null;
        });
  }

  /** Whether a kernel, copy or fill node is switched on ({@code cuGraphNodeGetEnabled}). */
  public boolean isEnabled(GraphNode node) {
    boolean[] enabled = new boolean[1];
    onNode(node, () -> enabled[0] = GraphExecNodeCalls.isEnabled(device.context(), handle, node));
    return enabled[0];
  }

  private void onNode(GraphNode node, Runnable call) {
    CallbackThread.refuse("A change of a graph");
    if (node.graph().handle() != source) {
      throw new IllegalArgumentException(
          "%s names no node of graph exec '%s', which was made from another graph."
              .formatted(node, label()));
    }
    synchronized (node.graph().lock()) {
      node.checkPresent();
      lock.lock();
      try {
        begin();
        try {
          call.run();
        } finally {
          end();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Starts a call that is not issued to a stream: a close meanwhile waits for its end. */
  private void begin() {
    handle.checkOpen();
    handle.retain();
  }

  private void end() {
    handle.release();
  }

  private void changed() {
    RegionWatch old = watch;
    watch = null;
    access = null;
    if (old != null) {
      old.end();
    }
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Destroys it after the replays in flight, then lets go of what it uses. */
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
