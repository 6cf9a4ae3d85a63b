package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A node that does nothing, to order groups of nodes with few edges. See CUDA Driver API, "Graph
 * Management", {@code cuGraphAddEmptyNode}.
 */
public final class EmptyNode extends GraphNode {

  EmptyNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.EMPTY, parent);
  }
}
