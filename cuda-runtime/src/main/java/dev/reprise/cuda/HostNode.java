package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A host function in a graph, called at each replay. See CUDA Driver API, "Graph Management",
 * {@code cuGraphAddHostNode}.
 */
public final class HostNode extends GraphNode {

  HostNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.HOST, parent);
  }

  /**
   * The Java function that it calls ({@code cuGraphHostNodeGetParams}); empty if another library
   * made the node.
   */
  public Optional<HostFunction> function() {
    synchronized (graph().lock()) {
      checkPresent();
      return GraphNodeCalls.hostFunction(graph().context(), value());
    }
  }

  /**
   * Makes it call another function ({@code cuGraphHostNodeSetParams}). Graphs that were
   * instantiated before do not change, see {@link GraphExec#set(HostNode, HostFunction)}.
   */
  public void set(HostFunction function) {
    HostFunctionHandle host = graph().hostFunction(function);
    try {
      graph()
          .change(
              this,
              uses -> uses.retain(function, host),
              () -> GraphNodeCalls.setHost(graph().context(), value(), host));
    } finally {
      host.close();
    }
  }
}
