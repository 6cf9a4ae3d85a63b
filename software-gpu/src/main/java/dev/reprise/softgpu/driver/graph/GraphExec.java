package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.operation.EmptyOperation;
import dev.reprise.softgpu.driver.operation.LaunchBound;
import dev.reprise.softgpu.driver.operation.MemoryAllocation;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.sanitizer.Origins;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An instantiated graph ({@code CUgraphExec}): a copy of its own of the nodes and their order. One
 * launch runs at a time, in the order of the calls; updates and switching nodes off count for later
 * launches only. Thread-safe.
 */
public final class GraphExec extends Handled {

  /** {@code CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH}. */
  public static final long AUTO_FREE_ON_LAUNCH = 1;

  /** {@code CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY}. */
  public static final long USE_NODE_PRIORITY = 8;

  private final Handles handles;
  private final long flags;
  private final Graph template;
  private final Map<Node, Node> byOriginal = new HashMap<>();
  private final Set<Node> disabled = new HashSet<>();
  private final DeviceMemory memory;
  private final Allocation storage;
  private Graph source;
  private ExecMemory nodesOfMemory;
  private final Order order;
  private final ConditionUse conditions;
  private volatile boolean destroyed;

  /** Null from a change to the next launch, which makes it anew. */
  private @Nullable Plan plan;

  private Marker lastLaunch = Marker.PASSED;

  /**
   * Instantiates a graph. What it keeps counts as device memory until it is destroyed.
   *
   * @throws CudaFailure {@code INVALID_VALUE} when its edges form a cycle, a body holds what it may
   *     not or it frees memory not after the allocation, {@code NOT_SUPPORTED} for conditional or
   *     memory nodes that another executable graph has, {@code OUT_OF_MEMORY} when it does not fit
   */
  public GraphExec(Handles handles, DeviceMemory memory, Graph graph, long flags) {
    super(handles, HandleKind.GRAPH_EXEC);
    this.handles = handles;
    this.flags = flags;
    if (!acyclic(graph)) {
      throw CudaFailure.invalidValue("the edges of " + graph + " form a cycle");
    }
    graph.checkBodies();
    ExecMemory.check(graph, null);
    if (graph.hasConditional() && !graph.tenancy().enter(this)) {
      throw new CudaFailure(
          Result.NOT_SUPPORTED,
          graph + " holds conditional nodes, and an executable graph of it exists");
    }
    this.lastLaunch = graph.tenancy().vacated();
    this.conditions = new ConditionUse(this, graph);
    this.source = graph;
    this.template = graph.privateCopy(byOriginal);
    this.nodesOfMemory = new ExecMemory(template);
    this.order = Order.of(template);
    this.memory = memory;
    try {
      this.storage = memory.reserve(Math.max(1, order.storedBytes()), "graph exec");
    } catch (CudaFailure e) {
      conditions.leave(lastLaunch);
      release(null);
      throw e;
    }
    graph.memoryOwner(nodesOfMemory.isEmpty() ? null : this);
  }

  private static boolean acyclic(Graph graph) {
    return graph.topologicalOrder() != null
        && graph.nodes().stream()
            .allMatch(node ->
                !(node.operation() instanceof Nesting nesting)
                    || nesting.graphs().stream().allMatch(GraphExec::acyclic));
  }

  private Plan plan() {
    Plan made = plan;
    if (made == null) {
      made =
          order.plan(node -> disabled.contains(node) ? EmptyOperation.INSTANCE : node.operation());
      plan = made;
    }
    return made;
  }

  private boolean fixedPriorities() {
    return (flags & USE_NODE_PRIORITY) != 0;
  }

  /** The flags it was instantiated with. */
  public long flags() {
    return flags;
  }

  /**
   * Enqueues one launch; {@code CUDA_ERROR_INVALID_HANDLE} when a module that it needs is gone,
   * {@code INVALID_VALUE} when memory that it allocates is allocated, or that it frees is not.
   *
   * @param owner the context of the launch
   */
  public synchronized void launch(Object owner, Launcher enqueue) {
    Plan now = plan();
    now.checkLoaded();
    List<LaunchBound.Binding> bindings = new ArrayList<>();
    Work work = conditions.begin(now.forLaunch(bindings));
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
    Node node = require(original);
    Origins.note(replacement);
    node.graph().replace(node, replacement);
    plan = null;
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
    plan = null;
  }

  /** Switches a kernel, copy or fill node off, or on again. */
  public synchronized void enable(Node original, boolean enabled) {
    Node node = require(original);
    if (!node.type().canBeDisabled()) {
      throw CudaFailure.invalidValue(
          "only kernel, memcpy and memset nodes can be switched off, not " + node.type());
    }
    if (enabled) {
      disabled.remove(node);
    } else {
      disabled.add(node);
    }
    plan = null;
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

  /**
   * Takes over the parameters of a graph of the same shape, and what user objects it refers to, or
   * none of them.
   *
   * @param callbacks waits for launches that need what is given up
   */
  public synchronized GraphUpdate.Outcome update(Graph graph, Executor callbacks) {
    boolean conditional = graph.hasConditional();
    if ((graph.ofMemory() && !ExecMemory.isFree(graph, this))
        || (conditional && !graph.tenancy().freeFor(this))) {
      return GraphUpdate.Outcome.NOT_SUPPORTED;
    }
    GraphUpdate.Outcome outcome =
        GraphUpdate.apply(template, graph, fixedPriorities(), this::apply);
    if (outcome.verdict() != GraphUpdate.Verdict.SUCCESS) {
      return outcome;
    }
    takeReferences(template, graph, callbacks);
    if (conditional && graph.tenancy().enter(this)) {
      conditions.replaceBy(graph, lastLaunch);
    }
    if (graph != source && !nodesOfMemory.isEmpty()) {
      nodesOfMemory.end();
      nodesOfMemory = new ExecMemory(template);
      source.memoryOwner(null);
      source = graph;
      source.memoryOwner(this);
    }
    return outcome;
  }

  /** Takes over the parameters of a graph of the same shape as a child graph node has here. */
  public synchronized GraphUpdate.Outcome updateChild(
      Node original, Graph graph, Executor callbacks) {
    Node node = require(original);
    if (!(node.operation() instanceof ChildGraph(Graph child))) {
      throw CudaFailure.invalidValue(original + " is of type " + node.type());
    }
    GraphUpdate.Outcome outcome = GraphUpdate.apply(child, graph, fixedPriorities(), this::apply);
    if (outcome.verdict() == GraphUpdate.Verdict.SUCCESS) {
      takeReferences(child, graph, callbacks);
    }
    return outcome;
  }

  /** What launches under way may need is given back when they have ended. */
  private void takeReferences(Graph mine, Graph from, Executor callbacks) {
    List<UserObjectReferences> old = new ArrayList<>();
    mine.replaceReferences(from, old);
    Marker last = lastLaunch;
    if (last.complete()) {
      old.forEach(UserObjectReferences::releaseAll);
    } else {
      callbacks.execute(() -> {
        last.await();
        old.forEach(UserObjectReferences::releaseAll);
      });
    }
  }

  /** A graph that does what the next launch would do, to become a child of another. */
  public synchronized Graph asGraph() {
    Graph copy = template.copy();
    emptyDisabled(copy);
    return copy;
  }

  private void emptyDisabled(Graph copy) {
    for (Node node : copy.nodes()) {
      if (node.operation() instanceof Nesting nesting) {
        nesting.graphs().forEach(this::emptyDisabled);
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
    conditions.leave(last);
    if (last.complete()) {
      release(storage);
    } else {
      callbacks.execute(() -> {
        last.awaitIdly();
        release(storage);
      });
    }
  }

  /** True once {@link #destroy} was called. */
  boolean destroyed() {
    return destroyed;
  }

  private synchronized void release(@Nullable Allocation taken) {
    nodesOfMemory.end();
    template.destroy();
    conditions.release();
    if (taken != null) {
      memory.giveBack(taken);
    }
  }
}
