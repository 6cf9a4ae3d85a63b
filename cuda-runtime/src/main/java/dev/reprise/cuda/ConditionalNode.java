package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A node that runs one of its bodies, or one again and again, as a value on the device says ({@code
 * CU_GRAPH_NODE_TYPE_CONDITIONAL}).
 *
 * <p>The bodies are graphs of their own that belong to this node: nodes are added to them, or work
 * is captured into them with {@link Stream#captureInto}; they cannot be closed, copied or
 * instantiated, and go with the node. They hold kernels, copies, fills, empty nodes, child graphs
 * and further conditional nodes, at any depth; no host functions and no events.
 *
 * <p>A graph with such a node cannot be copied or be a child, and one {@link GraphExec} of it can
 * exist at a time. Its parameters cannot change; those of nodes in its bodies can.
 *
 * <p>See CUDA Driver API, "Graph Management", {@code cuGraphAddNode}, and {@code
 * CUDA_CONDITIONAL_NODE_PARAMS}.
 */
public final class ConditionalNode extends GraphNode {

  private final ConditionalKind kind;
  private final ConditionalHandle handle;
  private final List<Graph> bodies;

  ConditionalNode(
      Graph graph,
      MemorySegment value,
      ConditionalKind kind,
      ConditionalHandle handle,
      List<MemorySegment> bodies) {
    super(graph, value, GraphNodeType.CONDITIONAL, null);
    this.kind = kind;
    this.handle = handle;
    List<Graph> graphs = new ArrayList<>();
    for (MemorySegment body : bodies) {
      String label = "%s body %d of %s".formatted(kind, graphs.size(), graph.label());
      graphs.add(Graph.body(this, label, body));
    }
    this.bodies = List.copyOf(graphs);
  }

  /** Adds a node to a graph. */
  static ConditionalNode add(
      Graph graph,
      ConditionalKind kind,
      ConditionalHandle condition,
      int size,
      GraphNode[] dependencies) {
    if (!condition.graph().holds(graph)) {
      throw new IllegalArgumentException(
          "%s was not made for graph '%s', nor for one around it."
              .formatted(condition, graph.label()));
    }
    List<MemorySegment> bodies = new ArrayList<>();
    return graph.add(
        dependencies,
        uses -> {},
        (driverGraph, nodes, count) -> {
          ConditionalCalls.Added added =
              ConditionalCalls.add(
                  graph.context(), driverGraph, kind, condition, size, nodes, count);
          bodies.addAll(added.bodies());
          return added.node();
        },
        node -> new ConditionalNode(graph, node, kind, condition, bodies));
  }

  /** How it decides. */
  public ConditionalKind kind() {
    return kind;
  }

  /** What it decides by. */
  public ConditionalHandle handle() {
    return handle;
  }

  /** The bodies; for {@link ConditionalKind#IF} the second is the else. */
  public List<Graph> bodies() {
    return bodies;
  }

  /** The first body. */
  public Graph body() {
    return bodies.get(0);
  }
}
