package dev.reprise.cuda;

import java.util.OptionalInt;

/**
 * The number that a {@link ConditionalNode} decides by ({@code CUgraphConditionalHandle}), made by
 * {@link Graph#conditionalHandle}. Kernels of the graph set it by calling {@code
 * cudaGraphSetConditional(handle, value)} with the handle as an argument, see {@link
 * KernelArg#condition}. It belongs to one node, and lives as long as its graph and what was
 * instantiated from that.
 *
 * <p>Immutable; usable by any thread. See CUDA Driver API, "Graph Management", {@code
 * cuGraphConditionalHandleCreate}, and CUDA Programming Guide, "Conditional Graph Nodes".
 */
public final class ConditionalHandle {

  private final Graph graph;
  private final long value;
  private final OptionalInt defaultValue;

  ConditionalHandle(Graph graph, long value, OptionalInt defaultValue) {
    this.graph = graph;
    this.value = value;
    this.defaultValue = defaultValue;
  }

  /** The graph that it was made for: the node is in that, or in a body inside of it. */
  public Graph graph() {
    return graph;
  }

  /**
   * The value at the start of each replay. If empty, there is none until a kernel of the same
   * replay sets one.
   */
  public OptionalInt defaultValue() {
    return defaultValue;
  }

  /** What kernels and the driver know it by. */
  public long value() {
    return value;
  }

  @Override
  public String toString() {
    return "ConditionalHandle 0x%x of graph '%s'".formatted(value, graph.label());
  }
}
