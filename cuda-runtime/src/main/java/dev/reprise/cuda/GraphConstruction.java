package dev.reprise.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a graph gets its nodes, one kind after the other; {@link Graph} has the rules that hold for
 * all of them.
 */
abstract sealed class GraphConstruction permits Graph {

  abstract Graph self();

  /** Its name in messages. */
  public abstract String label();

  /** The device it belongs to. */
  public abstract Device device();

  /** The conditional node that this is a body of, or null. */
  public abstract @Nullable ConditionalNode holder();

  abstract Context context();

  abstract Object lock();

  abstract void checkOpen();

  abstract MemorySegment driverGraph();

  abstract GraphContents contents();

  /** Keeps the object for a node that was just added. */
  abstract void added(GraphNode node);

  /** Adds a kernel launch ({@code cuGraphAddKernelNode}). */
  public KernelNode addKernel(PreparedLaunch launch, GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> enter(launch, uses),
        (graph, deps, count) -> GraphNodeCalls.addKernel(context(), launch, graph, deps, count),
        value -> new KernelNode(self(), value, null));
  }

  /** Adds a copy ({@code cuGraphAddMemcpyNode}). */
  public CopyNode addCopy(CopyOperation copy, GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> copy.enter(context(), uses),
        (graph, deps, count) -> GraphNodeCalls.addCopy(context(), copy, graph, deps, count),
        value -> new CopyNode(self(), value, null));
  }

  /** Adds a fill ({@code cuGraphAddMemsetNode}). */
  public FillNode addFill(FillOperation fill, GraphNode... dependencies) {
    return add(
        dependencies,
        uses -> fill.enter(context(), uses),
        (graph, deps, count) -> GraphNodeCalls.addFill(context(), fill, graph, deps, count),
        value -> new FillNode(self(), value, null));
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
          value -> new HostNode(self(), value, null));
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
        value -> new EmptyNode(self(), value, null));
  }

  /**
   * Adds a copy of another graph as one node ({@code cuGraphAddChildGraphNode}); later changes of
   * the other do not show here.
   */
  public ChildGraphNode addChild(Graph child, GraphNode... dependencies) {
    child.refuseBody("a child");
    if (child == self()) {
      throw new IllegalArgumentException("Graph '%s' cannot be its own child.".formatted(label()));
    }
    GraphHandle other = child.handle();
    context().checkSame(other.context(), "Graph", other.label());
    // Copied first, so that the locks of two graphs are never held at once.
    try (Graph copy = child.copy(child.label())) {
      GraphAccess.check(copy.handle());
      return add(
          dependencies,
          uses -> uses.addAll(copy.contents()),
          (graph, deps, count) ->
              GraphNodeCalls.addChild(context(), copy.handle(), graph, deps, count),
          value -> new ChildGraphNode(self(), value, null));
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
        value -> new EventRecordNode(self(), value, null));
  }

  /** Adds a wait for an event ({@code cuGraphAddEventWaitNode}). */
  public EventWaitNode addWait(Event event, GraphNode... dependencies) {
    refuseInBody("a wait for an event");
    return add(
        dependencies,
        uses -> enterWait(event, uses),
        (graph, deps, count) ->
            GraphNodeCalls.addEventWait(context(), event.handle(), graph, deps, count),
        value -> new EventWaitNode(self(), value, null));
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
    return addAllocation(label, bytes, List.of(), dependencies);
  }

  /**
   * As {@link #addAllocation(String, long, GraphNode...)}, of memory that kernels of other devices
   * may read and write, too. They come behind a replay as anything outside of the graph does.
   *
   * @param peers the other devices
   * @throws IllegalArgumentException if the device of the graph is among them
   */
  public MemoryAllocNode addAllocation(
      String label, long bytes, List<Device> peers, GraphNode... dependencies) {
    refuseInBody("an allocation");
    MemoryAllocation allocation = new MemoryAllocation(device(), label, bytes, peers);
    return add(
        dependencies,
        allocation::enter,
        allocation::add,
        value -> new MemoryAllocNode(self(), value, null));
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
          if (contents().frees(memory)) {
            throw new IllegalStateException(
                "Graph '%s' frees DeviceBuffer '%s' already.".formatted(label(), memory.label()));
          }
          uses.frees(memory);
        },
        (graph, deps, count) -> {
          MemorySegment node = GraphMemoryCalls.addFree(context(), memory, graph, deps, count);
          if (contents().allocates(memory)) {
            memory.freedInside();
          }
          return node;
        },
        value -> new MemoryFreeNode(self(), value, null));
  }

  /**
   * Adds a signal of an external semaphore ({@code cuGraphAddExternalSemaphoresSignalNode}).
   *
   * @param value the number that a timeline rises to; 0 for a binary one
   */
  public SemaphoreSignalNode addSignal(
      ExternalSemaphore semaphore, long value, GraphNode... dependencies) {
    refuseInBody("a signal of a semaphore");
    SemaphoreUse use = new SemaphoreUse(semaphore, value, true);
    return add(
        dependencies,
        uses -> use.enter(context(), uses),
        (graph, deps, count) -> SemaphoreCalls.add(context(), use, graph, deps, count),
        node -> new SemaphoreSignalNode(self(), node, null));
  }

  /**
   * Adds a wait for an external semaphore ({@code cuGraphAddExternalSemaphoresWaitNode}).
   *
   * @param value the number that a timeline must reach; 0 for a binary one
   */
  public SemaphoreWaitNode addWait(
      ExternalSemaphore semaphore, long value, GraphNode... dependencies) {
    refuseInBody("a wait for a semaphore");
    SemaphoreUse use = new SemaphoreUse(semaphore, value, false);
    return add(
        dependencies,
        uses -> use.enter(context(), uses),
        (graph, deps, count) -> SemaphoreCalls.add(context(), use, graph, deps, count),
        node -> new SemaphoreWaitNode(self(), node, null));
  }

  /** Adds 1 to 255 writes to memory and waits for it ({@code cuGraphAddBatchMemOpNode}). */
  public BatchMemoryNode addBatch(List<WordOperation> operations, GraphNode... dependencies) {
    refuseInBody("a batch of memory operations");
    List<WordOperation> all = List.copyOf(operations);
    return add(
        dependencies,
        uses -> BatchMemoryCalls.enter(context(), all, uses),
        (graph, deps, count) -> BatchMemoryCalls.add(context(), all, graph, deps, count),
        value -> new BatchMemoryNode(self(), value, null));
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
      return ConditionalCalls.createHandle(self(), defaultValue);
    }
  }

  /** Adds a node with a body that runs if the value is not 0. */
  public ConditionalNode addIf(ConditionalHandle condition, GraphNode... dependencies) {
    return ConditionalNode.add(self(), ConditionalKind.IF, condition, 1, dependencies);
  }

  /** Adds a node with a body that runs if the value is not 0, and one that runs if it is. */
  public ConditionalNode addIfElse(ConditionalHandle condition, GraphNode... dependencies) {
    return ConditionalNode.add(self(), ConditionalKind.IF, condition, 2, dependencies);
  }

  /** Adds a node with a body that runs as long as the value is not 0. */
  public ConditionalNode addWhile(ConditionalHandle condition, GraphNode... dependencies) {
    return ConditionalNode.add(self(), ConditionalKind.WHILE, condition, 1, dependencies);
  }

  /** Adds a node with so many bodies, of which that runs whose number is the value. */
  public ConditionalNode addSwitch(
      ConditionalHandle condition, int bodies, GraphNode... dependencies) {
    if (bodies < 1) {
      throw new IllegalArgumentException("A switch has at least 1 body, not " + bodies + ".");
    }
    return ConditionalNode.add(self(), ConditionalKind.SWITCH, condition, bodies, dependencies);
  }

  private void refuseInBody(String what) {
    if (holder() != null) {
      throw new IllegalStateException(
          "Graph '%s' is the body of a conditional node, which cannot hold %s (CUDA Driver API, CUDA_CONDITIONAL_NODE_PARAMS)."
              .formatted(label(), what));
    }
  }

  <N extends GraphNode> N add(
      GraphNode[] dependencies,
      Consumer<CaptureLedger> enter,
      GraphNodeCalls.Adder adder,
      Function<MemorySegment, N> facade) {
    synchronized (lock()) {
      checkOpen();
      List<GraphNode> before = List.of(dependencies);
      before.forEach(self()::checkOwn);
      CaptureLedger uses = new CaptureLedger();
      try (Arena arena = Arena.ofConfined()) {
        enter.accept(uses);
        MemorySegment value =
            adder.add(driverGraph(), GraphNodeCalls.array(arena, before), before.size());
        contents().put(value.address(), uses.captured());
        N node = facade.apply(value);
        added(node);
        return node;
      } catch (Throwable e) {
        uses.release();
        throw e;
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
    return HostFunctionHandle.of("host node of " + label(), device().handle(), function);
  }
}
