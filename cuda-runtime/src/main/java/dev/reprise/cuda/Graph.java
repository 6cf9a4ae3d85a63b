package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
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
public final class Graph implements AutoCloseable {

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
  public String label() {
    return label;
  }

  /** The conditional node that this is a body of, or null. */
  public @Nullable ConditionalNode holder() {
    return holder;
  }

  /** The graph that this one is in at whatever depth, or this one. */
  private Graph outermost() {
    return holder == null ? this : holder.graph().outermost();
  }

  /** What keeps the calls about this graph apart, one for a graph and its bodies. */
  Object lock() {
    return outermost();
  }

  /** Refuses if the graph is closed, is a body that is gone, or is another thread's to use. */
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

  private void refuseInBody(String what) {
    if (holder != null) {
      throw new IllegalStateException(
          "Graph '%s' is the body of a conditional node, which cannot hold %s (CUDA Driver API, CUDA_CONDITIONAL_NODE_PARAMS)."
              .formatted(label(), what));
    }
  }

  /** The device it belongs to. */
  public Device device() {
    return device;
  }

  /** The number of nodes. */
  public int nodeCount() {
    synchronized (lock()) {
      checkOpen();
      return GraphCalls.nodeCount(context(), driverGraph, label);
    }
  }

  /** The nodes, in the order that the driver gives. */
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

  /** Adds a kernel launch ({@code cuGraphAddKernelNode}). */
  public KernelNode addKernel(PreparedLaunch launch, GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> enter(launch, uses),
        (graph, deps, count) -> GraphNodeCalls.addKernel(context(), launch, graph, deps, count),
        value -> new KernelNode(this, value, null));
  }

  /** Adds a copy ({@code cuGraphAddMemcpyNode}). */
  public CopyNode addCopy(CopyOperation copy, GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> copy.enter(context(), uses),
        (graph, deps, count) -> GraphNodeCalls.addCopy(context(), copy, graph, deps, count),
        value -> new CopyNode(this, value, null));
  }

  /** Adds a fill ({@code cuGraphAddMemsetNode}). */
  public FillNode addFill(FillOperation fill, GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> fill.enter(context(), uses),
        (graph, deps, count) -> GraphNodeCalls.addFill(context(), fill, graph, deps, count),
        value -> new FillNode(this, value, null));
  }

  /** Adds a host function, called at each replay ({@code cuGraphAddHostNode}). */
  public HostNode addHost(HostFunction function, GraphNode... dependencies) {
    refuseInBody("a host function");
    HostFunctionHandle host = hostFunction(function);
    try {
      return add(
          dependencies,
          uses -> uses.retain(function, host),
          (graph, deps, count) -> GraphNodeCalls.addHost(context(), host, graph, deps, count),
          value -> new HostNode(this, value, null));
    } finally {
      host.close();
    }
  }

  /** Adds a node that does nothing ({@code cuGraphAddEmptyNode}). */
  public EmptyNode addEmpty(GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> {},
        (graph, deps, count) -> GraphNodeCalls.addEmpty(context(), graph, deps, count),
        value -> new EmptyNode(this, value, null));
  }

  /**
   * Adds a copy of another graph as one node ({@code cuGraphAddChildGraphNode}); later changes of
   * the other do not show here.
   */
  public ChildGraphNode addChild(Graph child, GraphNode... dependencies) {
    child.refuseBody("a child");
    if (child == this) {
      throw new IllegalArgumentException("Graph '%s' cannot be its own child.".formatted(label()));
    }
    GraphHandle other = child.handle;
    context().checkSame(other.context(), "Graph", other.label());
    // Copied first, so that the locks of two graphs are never held at once.
    try (Graph copy = child.copy(child.label())) {
      GraphAccess.check(copy.handle);
      return add(
          dependencies,
          uses -> uses.addAll(copy.contents),
          (graph, deps, count) ->
              GraphNodeCalls.addChild(context(), copy.handle, graph, deps, count),
          value -> new ChildGraphNode(this, value, null));
    }
  }

  /** Adds the record of an event ({@code cuGraphAddEventRecordNode}). */
  public EventRecordNode addRecord(Event event, GraphNode... dependencies) {
    refuseInBody("the record of an event");
    return add(
        dependencies,
        uses -> enterRecord(event, uses),
        (graph, deps, count) ->
            GraphNodeCalls.addEventRecord(context(), event.handle(), graph, deps, count),
        value -> new EventRecordNode(this, value, null));
  }

  /** Adds a wait for an event ({@code cuGraphAddEventWaitNode}). */
  public EventWaitNode addWait(Event event, GraphNode... dependencies) {
    refuseInBody("a wait for an event");
    return add(
        dependencies,
        uses -> enterWait(event, uses),
        (graph, deps, count) ->
            GraphNodeCalls.addEventWait(context(), event.handle(), graph, deps, count),
        value -> new EventWaitNode(this, value, null));
  }

  /**
   * Adds an allocation of device memory at each replay, at an address that never changes ({@code
   * cuGraphAddMemAllocNode}); its contents are undefined. See {@link MemoryAllocNode#buffer()} for
   * who may use it.
   *
   * <p>A graph that allocates or frees memory cannot be copied, be a child, or lose nodes or edges,
   * and has one {@link GraphExec} at a time.
   *
   * @param label the name of the memory in messages
   * @param bytes at least 1
   */
  public MemoryAllocNode addAllocation(String label, long bytes, GraphNode... dependencies) {
    refuseInBody("an allocation");
    MemoryAllocation allocation = new MemoryAllocation(device, label, bytes);
    return add(
        dependencies,
        allocation::enter,
        allocation::add,
        value -> new MemoryAllocNode(this, value, null));
  }

  /**
   * Adds a free of memory that this graph or another allocates ({@code cuGraphAddMemFreeNode}). It
   * must come after all uses of the memory. If this graph allocates it, the graph can only be
   * instantiated once this node comes after the allocation; if another does, replays are refused
   * while it is not allocated.
   *
   * @throws IllegalStateException if this graph frees it already
   */
  public MemoryFreeNode addFree(DeviceBuffer buffer, GraphNode... dependencies) {
    refuseInBody("a free");
    GraphMemoryHandle memory = GraphMemoryHandle.of(buffer);
    context().checkSame(memory.context(), "DeviceBuffer", memory.label());
    return add(
        dependencies,
        uses -> {
          memory.checkOpen();
          if (contents.frees(memory)) {
            throw new IllegalStateException(
                "Graph '%s' frees DeviceBuffer '%s' already.".formatted(label(), memory.label()));
          }
          uses.frees(memory);
        },
        (graph, deps, count) -> {
          MemorySegment node = GraphMemoryCalls.addFree(context(), memory, graph, deps, count);
          if (contents.allocates(memory)) {
            memory.freedInside();
          }
          return node;
        },
        value -> new MemoryFreeNode(this, value, null));
  }

  /** Adds 1 to 255 writes to memory and waits for it ({@code cuGraphAddBatchMemOpNode}). */
  public BatchMemoryNode addBatch(List<WordOperation> operations, GraphNode... dependencies) {
    refuseInBody("a batch of memory operations");
    List<WordOperation> all = List.copyOf(operations);
    return add(
        dependencies,
        uses -> BatchMemoryCalls.enter(context(), all, uses),
        (graph, deps, count) -> BatchMemoryCalls.add(context(), all, graph, deps, count),
        value -> new BatchMemoryNode(this, value, null));
  }

  /**
   * Makes the number that one conditional node of this graph, or of a body in it, decides by
   * ({@code cuGraphConditionalHandleCreate}). It has no value in a replay until a kernel sets one.
   * A graph with a handle that no node uses cannot be instantiated.
   */
  public ConditionalHandle conditionalHandle() {
    return conditionalHandle(OptionalInt.empty());
  }

  /** As {@link #conditionalHandle()}, with this value at the start of each replay. */
  public ConditionalHandle conditionalHandle(int defaultValue) {
    return conditionalHandle(OptionalInt.of(defaultValue));
  }

  private ConditionalHandle conditionalHandle(OptionalInt defaultValue) {
    synchronized (lock()) {
      checkOpen();
      return ConditionalCalls.createHandle(this, defaultValue);
    }
  }

  /** Adds a node with a body that runs if the value is not 0. */
  public ConditionalNode addIf(ConditionalHandle condition, GraphNode... dependencies) {
    return ConditionalNode.add(this, ConditionalKind.IF, condition, 1, dependencies);
  }

  /** Adds a node with a body that runs if the value is not 0, and one that runs if it is. */
  public ConditionalNode addIfElse(ConditionalHandle condition, GraphNode... dependencies) {
    return ConditionalNode.add(this, ConditionalKind.IF, condition, 2, dependencies);
  }

  /** Adds a node with a body that runs as long as the value is not 0. */
  public ConditionalNode addWhile(ConditionalHandle condition, GraphNode... dependencies) {
    return ConditionalNode.add(this, ConditionalKind.WHILE, condition, 1, dependencies);
  }

  /** Adds a node with so many bodies, of which that runs whose number is the value. */
  public ConditionalNode addSwitch(
      ConditionalHandle condition, int bodies, GraphNode... dependencies) {
    if (bodies < 1) {
      throw new IllegalArgumentException("A switch has at least 1 body, not " + bodies + ".");
    }
    return ConditionalNode.add(this, ConditionalKind.SWITCH, condition, bodies, dependencies);
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

  GraphContents contents() {
    return contents;
  }

  MemorySegment driverGraph() {
    return driverGraph;
  }

  <N extends GraphNode> N add(
      GraphNode[] dependencies,
      Consumer<CaptureLedger> enter,
      GraphNodeCalls.Adder adder,
      Function<MemorySegment, N> facade) {
    synchronized (lock()) {
      checkOpen();
      List<GraphNode> before = List.of(dependencies);
      before.forEach(this::checkOwn);
      CaptureLedger uses = new CaptureLedger();
      try (Arena arena = Arena.ofConfined()) {
        enter.accept(uses);
        MemorySegment value =
            adder.add(driverGraph, GraphNodeCalls.array(arena, before), before.size());
        contents.put(value.address(), uses.captured());
        N node = facade.apply(value);
        nodes.put(node);
        return node;
      } catch (Throwable e) {
        uses.release();
        throw e;
      }
    }
  }

  /**
   * Gives a node other parameters: what they use is owned first, what the old ones used let go
   * last.
   */
  void change(GraphNode node, Consumer<CaptureLedger> enter, Runnable set) {
    synchronized (lock()) {
      node.checkPresent();
      node.checkNotInside("changed");
      CaptureLedger uses = new CaptureLedger();
      try {
        enter.accept(uses);
        set.run();
      } catch (Throwable e) {
        uses.release();
        throw e;
      }
      Attachment old = contents.put(node.value().address(), uses.captured());
      if (old != null) {
        old.release();
      }
    }
  }

  void enter(PreparedLaunch launch, CaptureLedger uses) {
    context()
        .checkSame(launch.kernel().module().device().context(), "Kernel", launch.kernel().name());
    launch.checkOpen();
    launch.capture(uses);
  }

  void enterRecord(Event event, CaptureLedger uses) {
    enter(event, uses);
    uses.records(event.handle());
  }

  void enterWait(Event event, CaptureLedger uses) {
    enter(event, uses);
    uses.waits(event.handle());
  }

  private void enter(Event event, CaptureLedger uses) {
    context().checkSame(event.handle().context(), "Event", event.label());
    event.handle().checkOpen();
    uses.retain(event, event.handle());
  }

  HostFunctionHandle hostFunction(HostFunction function) {
    return HostFunctionHandle.of("host node of " + label(), device.handle(), function);
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

  private void checkOwn(GraphNode node) {
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
        return upload.instantiate(() -> GraphExec.of(this, options));
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

  GraphHandle handle() {
    return handle;
  }

  Context context() {
    return device.context();
  }

  @Override
  public String toString() {
    return "Graph '" + label() + "'";
  }
}
