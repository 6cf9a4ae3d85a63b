package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a {@link Graph}, of which it is a part: it needs no closing and is usable while
 * the graph is open. One object stands for one node, however it is reached.
 *
 * <p><b>Threads:</b> any, one at a time per graph. <b>Capture:</b> allowed during one, which has no
 * part in it. <b>Errors:</b> {@link IllegalStateException} if the graph is closed or the node was
 * removed. See CUDA Driver API, "Graph Management".
 */
public abstract sealed class GraphNode
    permits KernelNode,
        CopyNode,
        FillNode,
        HostNode,
        SemaphoreSignalNode,
        SemaphoreWaitNode,
        ChildGraphNode,
        BatchMemoryNode,
        ConditionalNode,
        EmptyNode,
        EventRecordNode,
        EventWaitNode,
        MemoryAllocNode,
        MemoryFreeNode,
        OtherNode {

  private final Graph graph;
  private final MemorySegment value;
  private final GraphNodeType type;
  private final @Nullable ChildGraphNode parent;

  private boolean removed;

  GraphNode(Graph graph, MemorySegment value, GraphNodeType type, @Nullable ChildGraphNode parent) {
    this.graph = graph;
    this.value = value;
    this.type = type;
    this.parent = parent;
  }

  /**
   * The graph that it is a part of; for a node inside a child graph, the one that the child is in.
   */
  public final Graph graph() {
    return graph;
  }

  /** What kind of node it is. */
  public final GraphNodeType type() {
    return type;
  }

  /**
   * The driver's {@code CUgraphNode}, for calls that the runtime does not have. Borrowed: it is
   * good while the node is in its graph, and that open and reachable; see {@linkplain
   * dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the graph is closed or the node was removed
   */
  public final MemorySegment driverHandle() {
    synchronized (graph.lock()) {
      checkPresent();
      return value;
    }
  }

  /** The child graph node that it is inside of, or null. */
  public final @Nullable ChildGraphNode parent() {
    return parent;
  }

  /** The nodes that run before it, by a direct edge ({@code cuGraphNodeGetDependencies}). */
  public final List<GraphNode> dependencies() {
    synchronized (graph.lock()) {
      checkPresent();
      return graph.nodesFor(GraphEdgeCalls.dependencies(graph.context(), value).nodes(), parent);
    }
  }

  /** The nodes that wait for it, by a direct edge ({@code cuGraphNodeGetDependentNodes}). */
  public final List<GraphNode> dependents() {
    synchronized (graph.lock()) {
      checkPresent();
      return graph.nodesFor(GraphEdgeCalls.dependents(graph.context(), value).nodes(), parent);
    }
  }

  /** The edges to it, each with the node that it comes from. */
  public final List<GraphEdge> incoming() {
    synchronized (graph.lock()) {
      checkPresent();
      GraphEdgeCalls.Ends ends = GraphEdgeCalls.dependencies(graph.context(), value);
      List<GraphNode> from = graph.nodesFor(ends.nodes(), parent);
      return IntStream.range(0, from.size())
          .mapToObj(i -> new GraphEdge(from.get(i), this, ends.kinds().get(i)))
          .toList();
    }
  }

  /**
   * The memory that its parameters point into. Empty for a node inside a child graph; the pointers
   * of those are the child graph node's.
   */
  public final List<CapturedPointer> pointers() {
    synchronized (graph.lock()) {
      checkPresent();
      Attachment uses = graph.contents().of(value.address());
      return uses == null ? List.of() : uses.pointers();
    }
  }

  /**
   * Takes it out of the graph with its edges ({@code cuGraphDestroyNode}); the graph lets go of
   * what only this node used. Graphs that were instantiated before keep it, but it cannot be used
   * to change them any more.
   */
  public final void remove() {
    synchronized (graph.lock()) {
      checkPresent();
      checkNotInside("removed");
      graph.handle().contents().refuseMemory(graph.label(), "deprived of nodes");
      GraphNodeCalls.destroy(graph.context(), value);
      removed = true;
      graph.forget(this);
    }
  }

  /** Whether it was removed. */
  public final boolean isRemoved() {
    synchronized (graph.lock()) {
      return removed || (parent != null && parent.isRemoved()) || graph.isRemoved();
    }
  }

  final MemorySegment value() {
    return value;
  }

  /** Refuses if the node is gone; the lock of the graph is held. */
  final void checkPresent() {
    graph.checkOpen();
    if (isRemoved()) {
      throw new IllegalStateException(
          "The %s node was removed from graph '%s'.".formatted(type, graph.label()));
    }
  }

  /** Refuses a change to a node that belongs to a child graph. */
  final void checkNotInside(String done) {
    if (parent != null) {
      throw new IllegalStateException(
          "The %s node is inside a child graph of graph '%s' and cannot be %s; change the graph that the child is a copy of, before adding it."
              .formatted(type, graph.label(), done));
    }
  }

  @Override
  public final String toString() {
    return "%s node 0x%x of graph '%s'".formatted(type, value.address(), graph.label());
  }
}
