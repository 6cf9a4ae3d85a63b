package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Work as a graph of operations, captured by {@link Stream#capture} or built node by node from
 * {@link Device#createGraph}; {@link #instantiate} makes it runnable.
 *
 * <p>It owns what its nodes use: closing a buffer, module or event only marks that closed; the
 * driver object lives on until this graph and every {@link GraphExec} that uses it are closed, or
 * the node is removed or given other parameters. Replays are refused once a buffer in use is
 * closed, see {@link StaleGraphException}.
 *
 * <p>The arguments of a node are copied when it is added. A node is added behind its dependencies;
 * without any it may run as soon as the graph does.
 *
 * <p><b>Threads:</b> any; calls of several threads are made one after the other, since the driver's
 * graphs are not thread-safe. <b>Capture:</b> a graph may be built and changed during a capture,
 * not instantiated. <b>Errors:</b> {@link IllegalStateException} for what is closed or removed,
 * {@link IllegalArgumentException} for nodes of another graph and objects of another device, {@link
 * CudaException} from the driver; a call that fails changes nothing. See CUDA Driver API, "Graph
 * Management".
 */
public final class Graph extends GraphConstruction implements AutoCloseable {

  private final Device device;

  /** What owns the driver object; for a body that of the outermost graph. */
  private final GraphHandle handle;

  private final String label;
  private final MemorySegment driverGraph;
  private final GraphContents contents;

  /** The node that this is a body of; null for a graph of its own. */
  private final @Nullable ConditionalNode holder;

  private final GraphNodes nodes = new GraphNodes(this);

  /** The thread that captures into this graph or into a body; only for a graph of its own. */
  private volatile @Nullable Thread capturer;

  private Graph(Device device, GraphHandle handle) {
    this.device = device;
    this.handle = handle;
    this.label = handle.label();
    this.driverGraph = handle.value();
    this.contents = handle.contents();
    this.holder = null;
    handle.watch(this);
  }

  private Graph(ConditionalNode holder, String label, MemorySegment value) {
    Graph around = holder.graph();
    this.device = around.device;
    this.handle = around.handle;
    this.label = label;
    this.driverGraph = value;
    this.contents = around.contents.body(holder.value().address());
    this.holder = holder;
  }

  /** A body of a node that was just added. */
  static Graph body(ConditionalNode holder, String label, MemorySegment value) {
    return new Graph(holder, label, value);
  }

  /** What a capture made; takes over its contents. */
  static Graph captured(Device device, String label, MemorySegment value, GraphContents contents) {
    // The contents hold the device, which can therefore be retained once more.
    device.handle().retain();
    return new Graph(device, new GraphHandle(label, device.handle(), value, contents));
  }

  /** A graph with no nodes. */
  static Graph empty(Device device, String label) {
    return new Graph(
        device,
        HandleNode.under(
            device.handle(),
            () ->
                new GraphHandle(
                    label,
                    device.handle(),
                    GraphCalls.create(device.context(), label),
                    GraphContents.empty())));
  }

  /** The same graph with its accesses checked; if it is refused for them, it is closed. */
  Graph checkedOrClosed() {
    synchronized (lock()) {
      try {
        GraphAccess.check(handle);
        return this;
      } catch (Throwable e) {
        close();
        throw e;
      }
    }
  }

  /** Its name in messages. */
  @Override
  public String label() {
    return label;
  }

  /** The conditional node that this is a body of, or null. */
  @Override
  public @Nullable ConditionalNode holder() {
    return holder;
  }

  /** The graph that this one is in at whatever depth, or this one. */
  private Graph outermost() {
    return holder == null ? this : holder.graph().outermost();
  }

  /** What keeps the calls about this graph apart, one for a graph and its bodies. */
  @Override
  Object lock() {
    return outermost();
  }

  /** Refuses if the graph is closed, is a body that is gone, or is another thread's to use. */
  @Override
  void checkOpen() {
    handle.checkOpen();
    if (isRemoved()) {
      throw new IllegalStateException(
          "Graph '%s' went with the conditional node that it was a body of.".formatted(label()));
    }
    Thread other = outermost().capturer;
    if (other != null && other != Thread.currentThread()) {
      throw new IllegalStateException(
          "Thread %s captures into graph '%s'; only that thread may use it until the capture ends."
              .formatted(other.getName(), label()));
    }
  }

  /** Whether it is a body that is gone. */
  boolean isRemoved() {
    return holder != null && holder.isRemoved();
  }

  void refuseBody(String done) {
    if (holder != null) {
      throw new IllegalStateException(
          "Graph '%s' belongs to a conditional node and cannot be %s.".formatted(label(), done));
    }
  }

  /** The device it belongs to. */
  @Override
  public Device device() {
    return device;
  }

  /**
   * The driver's {@code CUgraph}, for calls that the runtime does not have. Borrowed: it is good
   * while the graph is open and reachable; see {@linkplain dev.reprise.cuda raw handles}. No other
   * thread may use the graph during such a call.
   *
   * @throws IllegalStateException if the graph is closed
   */
  public MemorySegment driverHandle() {
    synchronized (lock()) {
      checkOpen();
      return driverGraph;
    }
  }

  /** The number of nodes ({@code cuGraphGetNodes}). */
  public int nodeCount() {
    synchronized (lock()) {
      checkOpen();
      return GraphCalls.nodeCount(context(), driverGraph, label);
    }
  }

  /** The nodes, in the order that the driver gives ({@code cuGraphGetNodes}). */
  public List<GraphNode> nodes() {
    synchronized (lock()) {
      checkOpen();
      return nodesFor(GraphNodeCalls.nodes(context(), driverGraph), null);
    }
  }

  /** The memory that it uses, each buffer once, in the order of first use. */
  public List<Region> regions() {
    synchronized (lock()) {
      return contents.regions();
    }
  }

  /** Every pointer that it holds, in the order of the operations. */
  public List<CapturedPointer> pointers() {
    synchronized (lock()) {
      return contents.pointers();
    }
  }

  /** Whether a graph is this one or inside of it, as a body at any depth. */
  boolean holds(Graph inner) {
    return inner == this || (inner.holder != null && holds(inner.holder.graph()));
  }

  /** Lets this thread alone use the graph while it captures into it. */
  void beginCapture(List<GraphNode> after) {
    synchronized (lock()) {
      checkOpen();
      after.forEach(this::checkOwn);
      handle.retain();
      outermost().capturer = Thread.currentThread();
    }
  }

  /** Takes over what a capture into the graph used. */
  void endCapture(GraphContents captured) {
    synchronized (lock()) {
      outermost().capturer = null;
      contents.takeOver(captured);
    }
    handle.release();
  }

  @Override
  GraphContents contents() {
    return contents;
  }

  @Override
  MemorySegment driverGraph() {
    return driverGraph;
  }

  @Override
  void added(GraphNode node) {
    nodes.put(node);
  }

  /** Gives a node other parameters, and lets go of what the old ones used. */
  void change(GraphNode node, Consumer<CaptureLedger> enter, Runnable set) {
    synchronized (lock()) {
      node.checkPresent();
      node.checkNotInside("changed");
      Attachment old = contents.change(node.value().address(), enter, set);
      if (old != null) {
        old.release();
      }
    }
  }

  /** Lets {@code to} run after {@code from} ({@code cuGraphAddDependencies}). */
  public void addEdge(GraphNode from, GraphNode to) {
    addEdge(from, to, EdgeKind.FULL);
  }

  /** Lets {@code to} run after what the kind says of {@code from}. */
  public void addEdge(GraphNode from, GraphNode to, EdgeKind kind) {
    synchronized (lock()) {
      checkEdge(from, to);
      GraphEdgeCalls.add(context(), driverGraph, from, to, kind);
    }
  }

  /** Removes an edge of whatever kind ({@code cuGraphRemoveDependencies}). */
  public void removeEdge(GraphNode from, GraphNode to) {
    synchronized (lock()) {
      checkEdge(from, to);
      contents.refuseMemory(label(), "deprived of edges");
      EdgeKind kind =
          to.incoming().stream()
              .filter(edge -> edge.from() == from)
              .findFirst()
              .map(GraphEdge::kind)
              .orElse(EdgeKind.FULL);
      GraphEdgeCalls.remove(context(), driverGraph, from, to, kind);
    }
  }

  private void checkEdge(GraphNode from, GraphNode to) {
    checkOpen();
    checkOwn(from);
    checkOwn(to);
    if (from == to) {
      throw new IllegalArgumentException(from + " cannot depend on itself.");
    }
  }

  void checkOwn(GraphNode node) {
    if (node.graph() != this) {
      throw new IllegalArgumentException("%s is not in graph '%s'.".formatted(node, label()));
    }
    node.checkPresent();
    node.checkNotInside("joined to nodes outside");
  }

  /** The objects for nodes of this graph, or inside one of its child graphs; the lock is held. */
  List<GraphNode> nodesFor(Collection<MemorySegment> values, @Nullable ChildGraphNode parent) {
    return nodes.of(values, parent);
  }

  /** The object for a node that the driver names, wherever it is in this graph; null if nowhere. */
  @Nullable GraphNode find(MemorySegment value) {
    return value.address() == 0 ? null : GraphNodes.find(nodes(), value.address());
  }

  /** Lets go of a node that was removed, and of the nodes inside it; the lock is held. */
  void forget(GraphNode node) {
    nodes.forgetRemoved();
    Attachment uses = contents.remove(node.value().address());
    if (uses != null) {
      uses.release();
    }
    contents.releaseBodies(node.value().address());
  }

  /**
   * Has the graph keep a resource of the program until {@link #release} or until it is destroyed,
   * and so all that is made from it later ({@code cuGraphRetainUserObject}). Given twice it is held
   * twice.
   *
   * @throws IllegalStateException if the object is closed, or for a body, which lives as long as
   *     the graph that it is in
   */
  public void retain(UserObject object) {
    refuseBody("given a user object");
    synchronized (lock()) {
      checkOpen();
      context().checkSame(object.device().context(), "UserObject", object.label());
      object.handle().checkOpen();
      UserObjectCalls.retain(context(), driverGraph, label, object.handle());
    }
  }

  /**
   * Undoes one {@link #retain}; what was made from the graph before keeps the object ({@code
   * cuGraphReleaseUserObject}).
   *
   * @throws IllegalStateException if the object is closed, or for a body
   * @throws CudaException with {@code CUDA_ERROR_INVALID_VALUE} if the graph does not hold it
   */
  public void release(UserObject object) {
    refuseBody("deprived of a user object");
    synchronized (lock()) {
      checkOpen();
      object.handle().checkOpen();
      UserObjectCalls.release(context(), driverGraph, label, object.handle());
    }
  }

  /** A copy with nodes of its own, which owns the same ({@code cuGraphClone}). */
  public Graph copy(String label) {
    refuseBody("copied");
    synchronized (lock()) {
      checkOpen();
      contents.refuseMemory(label, "copied or become a child");
      MemorySegment copy = GraphCalls.copy(context(), handle);
      try {
        GraphContents copied =
            contents.copy(node -> GraphCalls.findInCopy(context(), handle, node, copy));
        device.handle().retain();
        return new Graph(device, new GraphHandle(label, device.handle(), copy, copied));
      } catch (Throwable e) {
        Cleanup.after(e, () -> GraphCalls.destroy(context(), label, copy));
        throw e;
      }
    }
  }

  /** As {@link #instantiate(InstantiateOptions)}, with no options. */
  public GraphExec instantiate() {
    return instantiate(InstantiateOptions.standard());
  }

  /**
   * Makes the graph runnable ({@code cuGraphInstantiateWithParams}). The result shares nothing with
   * this graph but what both own; the nodes of this graph name the nodes to change in it.
   *
   * @throws StaleGraphException if a buffer that it uses was closed
   * @throws CudaException if the driver refuses, such as for a cycle; the message says why
   */
  public GraphExec instantiate(InstantiateOptions options) {
    refuseBody("instantiated");
    synchronized (lock()) {
      Capture.refuse("Graph.instantiate of '" + label() + "'");
      checkOpen();
      checkFresh();
      GraphAccess.check(handle);
      context().retirement().drain();
      contents.allocated().forEach(memory -> memory.checkNoExec(label()));
      Stream upload = options.uploadOn();
      if (upload != null) {
        context().checkSame(upload.device().context(), "Stream", upload.label());
        return upload.replays().instantiate(() -> GraphExec.of(this, options));
      }
      return GraphExec.of(this, options);
    }
  }

  void checkFresh() {
    contents.all().forEach(attachment -> attachment.checkFresh(label()));
  }

  /**
   * The nodes and edges in the DOT language, as the driver prints them ({@code
   * cuGraphDebugDotPrint}).
   *
   * @param details what is told about nodes; everything if none is given
   * @throws UncheckedIOException if the temporary file for it cannot be written or read
   */
  public String toDot(DotDetail... details) {
    synchronized (lock()) {
      checkOpen();
      return GraphCalls.dot(context(), driverGraph, label, DotDetail.flags(details));
    }
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /**
   * Destroys the graph and lets go of what it uses.
   *
   * @throws IllegalStateException for a body, which goes with its node
   */
  @Override
  public void close() {
    refuseBody("closed");
    synchronized (lock()) {
      handle.close();
    }
  }

  @Override
  Graph self() {
    return this;
  }

  GraphHandle handle() {
    return handle;
  }

  @Override
  Context context() {
    return device.context();
  }

  @Override
  public String toString() {
    return "Graph '" + label() + "'";
  }
}
