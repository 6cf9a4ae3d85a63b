package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph embedded in another as one node. It is a copy of the graph that was added. See CUDA
 * Driver API, "Graph Management", {@code cuGraphAddChildGraphNode}.
 */
public final class ChildGraphNode extends GraphNode {

  ChildGraphNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.CHILD_GRAPH, parent);
  }

  /**
   * The nodes inside ({@code cuGraphChildGraphNodeGetGraph}). They can be inspected, and named to
   * change an executable graph; the embedded graph itself cannot be changed.
   */
  public List<GraphNode> nodes() {
    synchronized (graph().lock()) {
      checkPresent();
      return graph().nodesFor(GraphNodeCalls.childNodes(graph().context(), value()), this);
    }
  }
}
