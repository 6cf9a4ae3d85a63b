package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A node of a kind that this library can list but not make; {@link #type} says which. See CUDA
 * Driver API, "Graph Management", {@code cuGraphNodeGetType}.
 */
public final class OtherNode extends GraphNode {

  OtherNode(Graph graph, MemorySegment value, GraphNodeType type, @Nullable ChildGraphNode parent) {
    super(graph, value, type, parent);
  }
}
