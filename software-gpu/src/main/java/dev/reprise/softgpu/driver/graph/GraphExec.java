package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.operation.EmptyOperation;
import dev.reprise.softgpu.driver.operation.LaunchBound;
import dev.reprise.softgpu.driver.operation.MemoryAllocation;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * An instantiated graph ({@code CUgraphExec}): a copy of its own of the nodes and their order. One
 * launch runs at a time, in the order of the calls; updates and switching nodes off count for later
 * launches only. Thread-safe.
 */
public final class GraphExec extends Handled {

  /** {@code CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH}. */
  public static final long AUTO_FREE_ON_LAUNCH = 1;

  private final Handles handles;
  private final long flags;
  private final Graph template;
  private final Map<Node, Node> byOriginal = new HashMap<>();
  private final Map<Node, Integer> position = new HashMap<>();
  private final Set<Node> disabled = new HashSet<>();
  private final DeviceMemory memory;
  private final Allocation storage;
  private Graph source;
  private ExecMemory nodesOfMemory;
  private volatile boolean destroyed;
  private Plan plan;
  private Marker lastLaunch = Marker.PASSED;

  /**
   * Instantiates a graph. What it keeps counts as device memory until it is destroyed.
   *
   * @throws CudaFailure {@code INVALID_VALUE} when its edges form a cycle or it frees memory not
   *     after the allocation, {@code NOT_SUPPORTED} for memory nodes that another executable graph
   *     has, {@code OUT_OF_MEMORY} when it does not fit
   */
  public GraphExec(Handles handles, DeviceMemory memory, Graph graph, long flags) {
    super(handles, HandleKind.GRAPH_EXEC);
    this.handles = handles;
    this.flags = flags;
    if (!acyclic(graph)) {
      throw CudaFailure.invalidValue("the edges of " + graph + " form a cycle");
    }
    ExecMemory.check(graph, null);
    this.source = graph;
    this.template = graph.privateCopy(byOriginal);
    this.nodesOfMemory = new ExecMemory(template);
    List<Operation> operations = new ArrayList<>();
    expand(template, operations);
    this.plan = new Plan(operations);
    this.memory = memory;
    long bytes = operations.stream().mapToLong(Operation::storedBytes).sum();
    try {
      this.storage = memory.reserve(Math.max(1, bytes), "graph exec");
    } catch (CudaFailure e) {
      nodesOfMemory.end();
      template.destroy();
      throw e;
    }
    graph.memoryOwner(nodesOfMemory.isEmpty() ? null : this);
  }

  private static boolean acyclic(Graph graph) {
    return graph.topologicalOrder() != null
        && graph.nodes().stream()
            .allMatch(
                node -> !(node.operation() instanceof ChildGraph(Graph child)) || acyclic(child));
  }

  private void expand(Graph graph, List<Operation> operations) {
    List<Node> order = graph.topologicalOrder();
    if (order == null) {
      throw new IllegalStateException(graph + " became cyclic");
    }
    for (Node node : order) {
      if (node.operation() instanceof ChildGraph(Graph child)) {
        expand(child, operations);
      } else {
        position.put(node, operations.size());
        operations.add(node.operation());
      }
    }
  }

  /** The flags it was instantiated with. */
  public long flags() {
    return flags;
  }

  /** How many operations one launch runs, child graphs expanded. */
  public synchronized int operationCount() {
    return plan.operations().size();
  }

  /** The operations of the next launch, in order. */
  public synchronized List<Operation> operations() {
    return plan.operations();
  }

  /**
   * Enqueues one launch; {@code CUDA_ERROR_INVALID_HANDLE} when a module that it needs is gone,
   * {@code INVALID_VALUE} when memory that it allocates is allocated, or that it frees is not.
   *
   * @param owner the context of the launch
   */
  public synchronized void launch(Object owner, Launcher enqueue) {
    plan.checkLoaded();
    List<LaunchBound.Binding> bindings = new ArrayList<>();
    Work work = plan.forLaunch(bindings);
    boolean autoFree = (flags & AUTO_FREE_ON_LAUNCH) != 0;
    Marker end = nodesOfMemory.launch(work, lastLaunch, autoFree, owner, enqueue);
    lastLaunch = end;
    bindings.forEach(binding -> binding.submitted(end));
  }

  /** How a launch gets into a stream. */
  @FunctionalInterface
  public interface Launcher {
    /** Enqueues the work; it must not start before the positions have passed. */
    Marker submit(Work work, List<Marker> after);
  }

  /** Takes now what the next launch would take. */
  public synchronized void upload() {
    nodesOfMemory.bind();
  }

  /** The end of the latest launch. */
  public synchronized Marker lastLaunch() {
    return lastLaunch;
  }

  /** Replaces the parameters of a node, named by the graph that was instantiated. */
  public synchronized void replace(Node original, Operation replacement) {
    apply(require(original), replacement);
  }

  /** The parameters that a node has here. */
  public synchronized Operation operation(Node original) {
    return require(original).operation();
  }

  private void apply(Node node, Operation replacement) {
    if (replacement instanceof MemoryAllocation added) {
      added.memory().addNode(added.allocation());
    }
    if (node.operation() instanceof MemoryAllocation removed) {
      removed.memory().removeNode(removed.allocation());
    }
    node.operation(replacement);
    if (!disabled.contains(node)) {
      Integer index = position.get(node);
      if (index != null) {
        plan = plan.with(index, replacement);
      }
    }
  }

  /** Switches a kernel, copy or fill node off, or on again. */
  public synchronized void enable(Node original, boolean enabled) {
    Node node = require(original);
    Integer index = position.get(node);
    if (!node.type().canBeDisabled() || index == null) {
      throw CudaFailure.invalidValue(
          "only kernel, memcpy and memset nodes can be switched off, not " + node.type());
    }
    if (enabled) {
      disabled.remove(node);
    } else {
      disabled.add(node);
    }
    plan = plan.with(index, enabled ? node.operation() : EmptyOperation.INSTANCE);
  }

  /** True when a node runs in the next launch. */
  public synchronized boolean enabled(Node original) {
    Node node = require(original);
    if (!node.type().canBeDisabled()) {
      throw CudaFailure.invalidValue("nodes of type " + node.type() + " cannot be switched off");
    }
    return !disabled.contains(node);
  }

  private Node require(Node original) {
    Node node = byOriginal.get(original);
    if (node == null) {
      throw CudaFailure.invalidValue(original + " is no node of the graph of " + this);
    }
    return node;
  }

  /** Takes over the parameters of a graph of the same shape, or none of them. */
  public synchronized GraphUpdate.Outcome update(Graph graph) {
    if (graph.ofMemory() && !ExecMemory.isFree(graph, this)) {
      return GraphUpdate.Outcome.NOT_SUPPORTED;
    }
    GraphUpdate.Outcome outcome = GraphUpdate.apply(template, graph, this::apply);
    if (outcome == GraphUpdate.Outcome.SUCCESS && graph != source && !nodesOfMemory.isEmpty()) {
      nodesOfMemory.end();
      nodesOfMemory = new ExecMemory(template);
      source.memoryOwner(null);
      source = graph;
      source.memoryOwner(this);
    }
    return outcome;
  }

  /** Takes over the parameters of a graph of the same shape as a child graph node has here. */
  public synchronized GraphUpdate.Outcome updateChild(Node original, Graph graph) {
    Node node = require(original);
    if (!(node.operation() instanceof ChildGraph(Graph child))) {
      throw CudaFailure.invalidValue(original + " is of type " + node.type());
    }
    return GraphUpdate.apply(child, graph, this::apply);
  }

  /** A graph that does what the next launch would do, to become a child of another. */
  public synchronized Graph asGraph() {
    Graph copy = template.copy();
    emptyDisabled(copy);
    return copy;
  }

  private void emptyDisabled(Graph copy) {
    for (Node node : copy.nodes()) {
      if (node.operation() instanceof ChildGraph(Graph child)) {
        emptyDisabled(child);
      } else if (node.original() != null && disabled.contains(node.original())) {
        node.operation(EmptyOperation.INSTANCE);
      }
    }
  }

  /**
   * Forgets the handle now. What the graph refers to is given back when its latest launch has
   * ended.
   */
  public void destroy(Executor callbacks) {
    handles.remove(this);
    destroyed = true;
    Marker last = lastLaunch();
    if (last.complete()) {
      release();
    } else {
      callbacks.execute(() -> {
        last.await();
        release();
      });
    }
  }

  /** True once {@link #destroy} was called. */
  boolean destroyed() {
    return destroyed;
  }

  private void release() {
    nodesOfMemory.end();
    template.destroy();
    memory.giveBack(storage);
  }
}
