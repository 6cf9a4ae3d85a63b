package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A copy in a graph. See CUDA Driver API, "Graph Management", {@code cuGraphAddMemcpyNode}. */
public final class CopyNode extends GraphNode {

  CopyNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.MEMCPY, parent);
  }

  /**
   * The bytes that it copies, all rows and slices together ({@code cuGraphMemcpyNodeGetParams}).
   */
  public long bytes() {
    synchronized (graph().lock()) {
      checkPresent();
      return GraphNodeCalls.copyBytes(graph().context(), value());
    }
  }

  /**
   * Makes it another copy ({@code cuGraphMemcpyNodeSetParams}). Graphs that were instantiated
   * before do not change, see {@link GraphExec#set(CopyNode, CopyOperation)}.
   */
  public void set(CopyOperation copy) {
    graph()
        .change(
            this,
            uses -> copy.enter(graph().context(), uses),
            () -> GraphNodeCalls.setCopy(graph().context(), value(), copy));
  }
}
