package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.MemoryAllocation;
import dev.reprise.softgpu.driver.operation.MemoryFree;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A graph ({@code CUgraph}): nodes in the order in which they were added, and edges. As in CUDA it
 * is not synchronised; a graph that a capture writes is guarded by the captures.
 */
public final class Graph extends Handled {

  private final Handles handles;
  private final boolean visible;
  private final @Nullable Graph original;
  private final Set<Node> nodes = new LinkedHashSet<>();
  private final UserObjectReferences references = new UserObjectReferences();
  private boolean embedded;

  /** The latest executable graph with the memory nodes of this one; null for none. */
  private @Nullable GraphExec memoryOwner;

  /** An empty graph whose nodes callers can name. */
  public Graph(Handles handles) {
    this(handles, true, null);
  }

  private Graph(Handles handles, boolean visible, @Nullable Graph original) {
    super(handles, HandleKind.GRAPH);
    this.handles = handles;
    this.visible = visible;
    this.original = original;
  }

  /** The nodes in the order in which they were added. */
  public Set<Node> nodes() {
    return Collections.unmodifiableSet(nodes);
  }

  /** The graph this one is a clone of, or null. */
  public @Nullable Graph original() {
    return original;
  }

  /** True for the graph inside a child graph node, which goes with its node. */
  public boolean embedded() {
    return embedded;
  }

  /** Adds a node; every dependency must be another node of this graph, named once. */
  public Node add(Operation operation, Collection<Node> dependencies) {
    Set<Node> seen = new HashSet<>();
    for (Node dependency : dependencies) {
      requireOwn(dependency);
      if (!seen.add(dependency)) {
        throw CudaFailure.invalidValue(dependency + " is named twice as a dependency");
      }
    }
    if (operation instanceof MemoryFree) {
      for (Node node : nodes) {
        if (node.operation().equals(operation)) {
          throw CudaFailure.invalidValue(
              "%s is done by %s already".formatted(operation.describe(), node));
        }
      }
    }
    Node node = insert(operation, null);
    dependencies.forEach(node::dependOn);
    return node;
  }

  private Node insert(Operation operation, @Nullable Node copied) {
    Node node = new Node(handles, this, operation, copied);
    if (operation instanceof ChildGraph child) {
      child.graph().embedded = true;
    }
    if (operation instanceof MemoryAllocation allocation) {
      allocation.memory().addNode(allocation.allocation());
    }
    nodes.add(node);
    if (visible) {
      handles.publish(node);
    }
    return node;
  }

  /** Adds an edge; one that exists, or from a node to itself, is {@code INVALID_VALUE}. */
  public void addEdge(Edge edge) {
    requireOwn(edge.from());
    requireOwn(edge.to());
    if (edge.from() == edge.to()) {
      throw CudaFailure.invalidValue(edge.from() + " cannot depend on itself");
    }
    if (!edge.to().dependOn(edge.from())) {
      throw CudaFailure.invalidValue(edge.to() + " depends on " + edge.from() + " already");
    }
  }

  /**
   * Removes an edge; one that does not exist is {@code INVALID_VALUE}, and any in a graph with
   * memory nodes is {@code NOT_SUPPORTED}.
   */
  public void removeEdge(Edge edge) {
    checkWithoutMemory("remove an edge of");
    requireOwn(edge.from());
    requireOwn(edge.to());
    if (!edge.to().dependencies().contains(edge.from())) {
      throw CudaFailure.invalidValue(edge.to() + " does not depend on " + edge.from());
    }
    edge.to().forget(edge.from());
  }

  /** Removes a node with its edges; {@code NOT_SUPPORTED} in a graph with memory nodes. */
  public void remove(Node node) {
    checkWithoutMemory("remove a node of");
    requireOwn(node);
    List.copyOf(node.dependencies()).forEach(node::forget);
    List.copyOf(node.dependents()).forEach(later -> later.forget(node));
    nodes.remove(node);
    discard(node);
  }

  /** True when it allocates or frees memory. */
  public boolean ofMemory() {
    return nodes.stream().anyMatch(node -> node.type().ofMemory());
  }

  private void checkWithoutMemory(String action) {
    if (ofMemory()) {
      throw CudaFailure.notSupported("to %s %s, which has memory nodes,".formatted(action, this));
    }
  }

  @Nullable GraphExec memoryOwner() {
    return memoryOwner;
  }

  void memoryOwner(@Nullable GraphExec exec) {
    memoryOwner = exec;
  }

  private void requireOwn(Node node) {
    if (node.graph() != this || !nodes.contains(node)) {
      throw CudaFailure.invalidValue(node + " is not in " + this);
    }
  }

  /** The edges, by the node they lead to, in order. */
  public List<Edge> edges() {
    List<Edge> edges = new ArrayList<>();
    for (Node node : nodes) {
      node.dependencies().forEach(from -> edges.add(new Edge(from, node)));
    }
    return edges;
  }

  /** The nodes without dependencies. */
  public List<Node> roots() {
    return nodes.stream().filter(node -> node.dependencies().isEmpty()).toList();
  }

  /** The given nodes and all that they depend on, directly or not. */
  public static Set<Node> ancestorsAndSelf(Collection<Node> of) {
    Set<Node> found = new HashSet<>();
    ArrayDeque<Node> open = new ArrayDeque<>(of);
    while (!open.isEmpty()) {
      Node node = open.remove();
      if (found.add(node)) {
        open.addAll(node.dependencies());
      }
    }
    return found;
  }

  /**
   * Every node after all it depends on, otherwise in the order in which they were added; null when
   * the edges form a cycle.
   */
  public @Nullable List<Node> topologicalOrder() {
    Map<Node, Integer> missing = new HashMap<>();
    ArrayDeque<Node> ready = new ArrayDeque<>();
    for (Node node : nodes) {
      missing.put(node, node.dependencies().size());
      if (node.dependencies().isEmpty()) {
        ready.add(node);
      }
    }
    List<Node> order = new ArrayList<>(nodes.size());
    while (!ready.isEmpty()) {
      Node node = ready.remove();
      order.add(node);
      for (Node later : node.dependents()) {
        if (missing.merge(later, -1, Integer::sum) == 0) {
          ready.add(later);
        }
      }
    }
    return order.size() == nodes.size() ? order : null;
  }

  /**
   * A deep copy whose nodes callers can name; user objects gain a reference for each one here.
   * {@code NOT_SUPPORTED} for a graph with memory nodes.
   */
  public Graph copy() {
    checkWithoutMemory("copy");
    return copy(true, new HashMap<>());
  }

  /** A deep copy without handles, and which node became which, child graphs included. */
  Graph privateCopy(Map<Node, Node> copies) {
    return copy(false, copies);
  }

  private Graph copy(boolean visibleCopy, Map<Node, Node> copies) {
    Graph copy = new Graph(handles, visibleCopy, this);
    for (Node node : nodes) {
      Operation operation = node.operation();
      if (operation instanceof ChildGraph(Graph child)) {
        Graph childCopy = child.copy(visibleCopy, copies);
        operation = new ChildGraph(visibleCopy ? handles.publish(childCopy) : childCopy);
      }
      copies.put(node, copy.insert(operation, node));
    }
    for (Node node : nodes) {
      Node to = copies.get(node);
      for (Node dependency : node.dependencies()) {
        Node from = copies.get(dependency);
        if (to != null && from != null) {
          to.dependOn(from);
        }
      }
    }
    references.copyTo(copy.references);
    return copy;
  }

  /** Takes over references to a user object. */
  public void own(UserObject object, long count) {
    references.add(object, count);
  }

  /** Gives references to a user object back. */
  public void release(UserObject object, long count) {
    references.release(object, count);
  }

  /** Ends the graph: its handles are forgotten and its references given back. */
  public void destroy() {
    handles.remove(this);
    nodes.forEach(this::discard);
    nodes.clear();
    references.releaseAll();
  }

  private void discard(Node node) {
    handles.remove(node);
    if (node.operation() instanceof MemoryAllocation allocation) {
      allocation.memory().removeNode(allocation.allocation());
    }
    if (node.operation() instanceof ChildGraph(Graph child)) {
      child.destroy();
    }
  }
}
