package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private final GraphHandle handle;
  private final Map<Long, GraphNode> nodes = new HashMap<>();

  private Graph(Device device, GraphHandle handle) {
    this.device = device;
    this.handle = handle;
    handle.watch(this);
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
  synchronized Graph checkedOrClosed() {
    try {
      GraphAccess.check(handle);
      return this;
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /** The device it belongs to. */
  public Device device() {
    return device;
  }

  /** The number of nodes. */
  public synchronized int nodeCount() {
    handle.checkOpen();
    return GraphCalls.nodeCount(context(), handle);
  }

  /** The nodes, in the order that the driver gives. */
  public synchronized List<GraphNode> nodes() {
    handle.checkOpen();
    return nodesFor(GraphNodeCalls.nodes(context(), handle.value()), null);
  }

  /** The memory that it uses, each buffer once, in the order of first use. */
  public synchronized List<Region> regions() {
    return handle.contents().regions();
  }

  /** Every pointer that it holds, in the order of the operations. */
  public synchronized List<CapturedPointer> pointers() {
    return handle.contents().pointers();
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
          uses -> uses.addAll(copy.handle.contents()),
          (graph, deps, count) ->
              GraphNodeCalls.addChild(context(), copy.handle, graph, deps, count),
          value -> new ChildGraphNode(this, value, null));
    }
  }

  /** Adds the record of an event ({@code cuGraphAddEventRecordNode}). */
  public EventRecordNode addRecord(Event event, GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> enterRecord(event, uses),
        (graph, deps, count) ->
            GraphNodeCalls.addEventRecord(context(), event.handle(), graph, deps, count),
        value -> new EventRecordNode(this, value, null));
  }

  /** Adds a wait for an event ({@code cuGraphAddEventWaitNode}). */
  public EventWaitNode addWait(Event event, GraphNode... dependencies) {
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
    GraphMemoryHandle memory = GraphMemoryHandle.of(buffer);
    context().checkSame(memory.context(), "DeviceBuffer", memory.label());
    return add(
        dependencies,
        uses -> {
          memory.checkOpen();
          if (handle.contents().frees(memory)) {
            throw new IllegalStateException(
                "Graph '%s' frees DeviceBuffer '%s' already.".formatted(label(), memory.label()));
          }
          uses.frees(memory);
        },
        (graph, deps, count) -> {
          MemorySegment node = GraphMemoryCalls.addFree(context(), memory, graph, deps, count);
          if (handle.contents().allocates(memory)) {
            memory.freedInside();
          }
          return node;
        },
        value -> new MemoryFreeNode(this, value, null));
  }

  private synchronized <N extends GraphNode> N add(
      GraphNode[] dependencies,
      Consumer<CaptureLedger> enter,
      GraphNodeCalls.Adder adder,
      Function<MemorySegment, N> facade) {
    handle.checkOpen();
    List<GraphNode> before = List.of(dependencies);
    before.forEach(this::checkOwn);
    CaptureLedger uses = new CaptureLedger();
    try (Arena arena = Arena.ofConfined()) {
      enter.accept(uses);
      MemorySegment value =
          adder.add(handle.value(), GraphNodeCalls.array(arena, before), before.size());
      handle.contents().put(value.address(), uses.captured());
      N node = facade.apply(value);
      nodes.put(value.address(), node);
      return node;
    } catch (Throwable e) {
      uses.release();
      throw e;
    }
  }

  /**
   * Gives a node other parameters: what they use is owned first, what the old ones used let go
   * last.
   */
  synchronized void change(GraphNode node, Consumer<CaptureLedger> enter, Runnable set) {
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
    Attachment old = handle.contents().put(node.value().address(), uses.captured());
    if (old != null) {
      old.release();
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
    return HandleNode.under(
        device.handle(),
        () -> new HostFunctionHandle("host node of " + label(), device.handle(), function));
  }

  /** Lets {@code to} run after {@code from} ({@code cuGraphAddDependencies}). */
  public synchronized void addEdge(GraphNode from, GraphNode to) {
    checkEdge(from, to);
    GraphNodeCalls.addEdge(context(), handle, from, to);
  }

  /** Removes an edge ({@code cuGraphRemoveDependencies}). */
  public synchronized void removeEdge(GraphNode from, GraphNode to) {
    checkEdge(from, to);
    handle.contents().refuseMemory(label(), "deprived of edges");
    GraphNodeCalls.removeEdge(context(), handle, from, to);
  }

  private void checkEdge(GraphNode from, GraphNode to) {
    handle.checkOpen();
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
    return values.stream().map(value -> nodeFor(value, parent)).toList();
  }

  private GraphNode nodeFor(MemorySegment value, @Nullable ChildGraphNode parent) {
    GraphNode known = nodes.get(value.address());
    if (known != null) {
      return known;
    }
    GraphNodeType type = GraphNodeCalls.type(context(), value);
    GraphNode node =
        switch (type) {
          case KERNEL -> new KernelNode(this, value, parent);
          case MEMCPY -> new CopyNode(this, value, parent);
          case MEMSET -> new FillNode(this, value, parent);
          case HOST -> new HostNode(this, value, parent);
          case CHILD_GRAPH -> new ChildGraphNode(this, value, parent);
          case EMPTY -> new EmptyNode(this, value, parent);
          case EVENT_RECORD -> new EventRecordNode(this, value, parent);
          case EVENT_WAIT -> new EventWaitNode(this, value, parent);
          case MEMORY_ALLOCATION -> new MemoryAllocNode(this, value, parent);
          case MEMORY_FREE -> new MemoryFreeNode(this, value, parent);
          default -> new OtherNode(this, value, type, parent);
        };
    nodes.put(value.address(), node);
    return node;
  }

  /** The object for a node that the driver names, wherever it is in this graph; null if nowhere. */
  @Nullable GraphNode find(MemorySegment value) {
    if (value.address() == 0) {
      return null;
    }
    return find(nodes(), value);
  }

  private static @Nullable GraphNode find(List<GraphNode> among, MemorySegment value) {
    for (GraphNode node : among) {
      if (node.value().address() == value.address()) {
        return node;
      }
      if (node instanceof ChildGraphNode child) {
        GraphNode inside = find(child.nodes(), value);
        if (inside != null) {
          return inside;
        }
      }
    }
    return null;
  }

  /** Lets go of a node that was removed, and of the nodes inside it; the lock is held. */
  void forget(GraphNode node) {
    nodes.values().removeIf(GraphNode::isRemoved);
    Attachment uses = handle.contents().remove(node.value().address());
    if (uses != null) {
      uses.release();
    }
  }

  /** A copy with nodes of its own, which owns the same ({@code cuGraphClone}). */
  public synchronized Graph copy(String label) {
    handle.checkOpen();
    handle.contents().refuseMemory(label(), "copied or become a child");
    MemorySegment copy = GraphCalls.copy(context(), handle);
    try {
      GraphContents contents =
          handle.contents().copy(node -> GraphCalls.findInCopy(context(), handle, node, copy));
      device.handle().retain();
      return new Graph(device, new GraphHandle(label, device.handle(), copy, contents));
    } catch (Throwable e) {
      try {
        GraphCalls.destroy(context(), label, copy);
      } catch (RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
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
  public synchronized GraphExec instantiate(InstantiateOptions options) {
    Capture.refuse("Graph.instantiate of '" + label() + "'");
    handle.checkOpen();
    checkFresh();
    GraphAccess.check(handle);
    context().retirement().drain();
    handle.contents().allocated().forEach(memory -> memory.checkNoExec(label()));
    Stream upload = options.uploadOn();
    if (upload != null) {
      context().checkSame(upload.device().context(), "Stream", upload.label());
      return upload.instantiate(() -> make(options));
    }
    return make(options);
  }

  private GraphExec make(InstantiateOptions options) {
    GraphContents contents = handle.contents().copy();
    try {
      GraphExecHandle exec =
          HandleNode.under(
              device.handle(),
              () ->
                  new GraphExecHandle(
                      label(),
                      device.handle(),
                      GraphCalls.instantiate(context(), handle, options),
                      contents));
      return new GraphExec(device, exec, handle);
    } catch (Throwable e) {
      contents.release();
      throw e;
    }
  }

  void checkFresh() {
    handle.contents().all().forEach(attachment -> attachment.checkFresh(label()));
  }

  /**
   * The nodes and edges in the DOT language, as the driver prints them ({@code
   * cuGraphDebugDotPrint}).
   *
   * @param details what is told about nodes; everything if none is given
   * @throws UncheckedIOException if the temporary file for it cannot be written or read
   */
  public synchronized String toDot(DotDetail... details) {
    handle.checkOpen();
    int flags = details.length == 0 ? DotDetail.VERBOSE.code() : 0;
    for (DotDetail detail : details) {
      flags |= detail.code();
    }
    try {
      Path file = Files.createTempFile("reprise-graph", ".dot");
      try {
        GraphCalls.writeDot(context(), handle, file, flags);
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

  /** Destroys the graph and lets go of what it uses. */
  @Override
  public synchronized void close() {
    handle.close();
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
