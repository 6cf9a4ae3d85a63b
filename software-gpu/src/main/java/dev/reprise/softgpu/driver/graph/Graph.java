package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.MemoryAllocation;
import dev.reprise.softgpu.driver.operation.MemoryFree;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.sanitizer.Origins;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private final List<Condition> conditions = new ArrayList<>();
  private @Nullable Node holder;
  private final Tenancy tenancy = new Tenancy();

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

  /** For a graph inside a node, such as a child graph node, that node; else null. */
  public @Nullable Node holder() {
    return holder;
  }

  /** True for a graph inside a node, which goes with its node. */
  public boolean embedded() {
    return holder != null;
  }

  /** True for a graph itself and every graph that holds it, at any depth. */
  public boolean within(Graph other) {
    return this == other || (holder != null && holder.graph().within(other));
  }

  /** The conditional node around this graph, at any depth, or null. */
  private @Nullable Conditional conditionalAround() {
    if (holder == null) {
      return null;
    }
    return holder.operation() instanceof Conditional around
        ? around
        : holder.graph().conditionalAround();
  }

  /** Adds a node; every dependency must be another node of this graph, named once. */
  public Node add(Operation operation, Collection<Node> dependencies) {
    return add(operation, dependencies, Collections.nCopies(dependencies.size(), EdgeKind.FULL));
  }

  /** Adds a node with an edge of the given kind from each dependency. */
  public Node add(Operation operation, Collection<Node> dependencies, List<EdgeKind> kinds) {
    Iterator<EdgeKind> kind = kinds.iterator();
    dependencies.forEach(from -> kind.next().check(from.type(), operation.type()));
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
    Conditional around = conditionalAround();
    if (around != null) {
      BodyRules.check(operation, around);
    }
    Origins.note(operation);
    Node node = insert(operation, null);
    Iterator<EdgeKind> edge = kinds.iterator();
    dependencies.forEach(from -> node.dependOn(from, edge.next()));
    return node;
  }

  private Node insert(Operation operation, @Nullable Node copied) {
    Node node = new Node(handles, this, operation, copied);
    if (operation instanceof Nesting nesting) {
      nesting.graphs().forEach(inner -> inner.holder = node);
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
    if (!edge.to().dependOn(edge.from(), edge.kind())) {
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
    if (!edge.kind().equals(edge.to().edgeFrom(edge.from()))) {
      throw CudaFailure.invalidValue(
          "%s does not depend on %s by an edge of %s"
              .formatted(edge.to(), edge.from(), edge.kind()));
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
      edges.addAll(edgesTo(node));
    }
    return edges;
  }

  /** The edges to a node, in order. */
  public static List<Edge> edgesTo(Node node) {
    List<Edge> edges = new ArrayList<>();
    for (Node from : node.dependencies()) {
      edges.add(new Edge(from, node, Objects.requireNonNull(node.edgeFrom(from))));
    }
    return edges;
  }

  /** The edges from a node, in order. */
  public static List<Edge> edgesFrom(Node node) {
    List<Edge> edges = new ArrayList<>();
    for (Node to : node.dependents()) {
      edges.add(new Edge(node, to, Objects.requireNonNull(to.edgeFrom(node))));
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

  /** Has an empty graph be the one inside a node that is about to be added to this graph. */
  public Graph inner() {
    return handles.publish(new Graph(handles));
  }

  /**
   * Replaces the parameters of a node, which must obey the rules of the bodies around it; the
   * attributes of a kernel stay. Graphs instantiated before keep the old ones.
   */
  public void replace(Node node, Operation replacement) {
    Conditional around = conditionalAround();
    if (around != null) {
      BodyRules.check(replacement, around);
    }
    node.operation(
        replacement instanceof KernelLaunch after && node.operation() instanceof KernelLaunch before
            ? after.with(before.attributes())
            : replacement);
  }

  /** Keeps a condition that conditional nodes here, or in graphs inside this one, may use. */
  public void own(Condition condition) {
    conditions.add(condition);
  }

  /** The condition of this handle, made for this graph or for one around it; null if none is. */
  public @Nullable Condition condition(long handle) {
    for (Condition condition : conditions) {
      if (condition.handle() == handle) {
        return condition;
      }
    }
    return holder == null ? null : holder.graph().condition(handle);
  }

  /** The conditions of this graph and of all graphs inside it. */
  List<Condition> allConditions() {
    List<Condition> all = new ArrayList<>(conditions);
    inside().forEach(graph -> all.addAll(graph.allConditions()));
    return all;
  }

  /** True when every condition of this graph and of the graphs inside it has a node. */
  public boolean usesAllConditions() {
    return allConditions().stream().allMatch(Condition::claimed);
  }

  /** Checks again what the bodies in here hold, since memory may have come and gone. */
  void checkBodies() {
    Conditional around = conditionalAround();
    if (around != null) {
      nodes.forEach(node -> BodyRules.check(node.operation(), around));
    }
    inside().forEach(Graph::checkBodies);
  }

  /** True when a conditional node is in here, at any depth. */
  public boolean hasConditional() {
    return nodes.stream().anyMatch(node -> node.operation() instanceof Conditional)
        || inside().stream().anyMatch(Graph::hasConditional);
  }

  /** The graphs that nodes of this one hold. */
  private List<Graph> inside() {
    List<Graph> inside = new ArrayList<>();
    for (Node node : nodes) {
      if (node.operation() instanceof Nesting nesting) {
        inside.addAll(nesting.graphs());
      }
    }
    return inside;
  }

  /** Which executable graph has this one for itself, where only one may. */
  Tenancy tenancy() {
    return tenancy;
  }

  /**
   * A deep copy whose nodes callers can name; user objects gain a reference for each one here.
   *
   * @throws CudaFailure {@code NOT_SUPPORTED} for a graph with conditional or memory nodes
   */
  public Graph copy() {
    checkWithoutMemory("copy");
    if (hasConditional()) {
      throw new CudaFailure(
          Result.NOT_SUPPORTED,
          this + " holds conditional nodes; such a graph can neither be cloned nor be a child");
    }
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
      if (operation instanceof Nesting nesting) {
        List<Graph> inner = new ArrayList<>();
        for (Graph graph : nesting.graphs()) {
          Graph innerCopy = graph.copy(visibleCopy, copies);
          inner.add(visibleCopy ? handles.publish(innerCopy) : innerCopy);
        }
        operation = nesting.around(inner);
      }
      copies.put(node, copy.insert(operation, node));
    }
    for (Node node : nodes) {
      Node to = copies.get(node);
      for (Edge edge : edgesTo(node)) {
        Node from = copies.get(edge.from());
        if (to != null && from != null) {
          to.dependOn(from, edge.kind());
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

  /**
   * Takes over the references of a graph of the same shape, and of the graphs inside it, as an
   * update does; {@code old} gets what was held until now.
   */
  void replaceReferences(Graph by, List<UserObjectReferences> old) {
    old.add(references.replaceBy(by.references));
    List<Graph> here = nested();
    List<Graph> there = by.nested();
    for (int i = 0; i < Math.min(here.size(), there.size()); i++) {
      here.get(i).replaceReferences(there.get(i), old);
    }
  }

  private List<Graph> nested() {
    return nodes.stream()
        .map(Node::operation)
        .filter(Nesting.class::isInstance)
        .flatMap(operation -> ((Nesting) operation).graphs().stream())
        .toList();
  }

  /** Ends the graph: its handles are forgotten and its references given back. */
  public void destroy() {
    handles.remove(this);
    nodes.forEach(this::discard);
    nodes.clear();
    references.releaseAll();
    conditions.forEach(Condition::release);
    conditions.clear();
  }

  private void discard(Node node) {
    handles.remove(node);
    if (node.operation() instanceof MemoryAllocation allocation) {
      allocation.memory().removeNode(allocation.allocation());
    }
    if (node.operation() instanceof Nesting nesting) {
      nesting.graphs().forEach(Graph::destroy);
    }
    // A copy without handles shares the conditions; the node of the original has them.
    if (visible && node.operation() instanceof Conditional conditional) {
      conditional.condition().unclaim();
    }
  }
}
