package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A fill in a graph. See CUDA Driver API, "Graph Management", {@code cuGraphAddMemsetNode}. */
public final class FillNode extends GraphNode {

  /**
   * What a fill does, as the driver tells it.
   *
   * @param address the device address of the first element
   * @param count the number of elements, of all rows together
   * @param value the value of each, in the low bits
   * @param elementBytes bytes of an element: 1, 2 or 4
   */
  public record Parameters(long address, long count, int value, int elementBytes) {}

  FillNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.MEMSET, parent);
  }

  /** What it does ({@code cuGraphMemsetNodeGetParams}). */
  public Parameters parameters() {
    synchronized (graph().lock()) {
      checkPresent();
      return GraphNodeCalls.fillParameters(graph().context(), value());
    }
  }

  /**
   * Makes it another fill ({@code cuGraphMemsetNodeSetParams}). Graphs that were instantiated
   * before do not change, see {@link GraphExec#set(FillNode, FillOperation)}.
   */
  public void set(FillOperation fill) {
    graph()
        .change(
            this,
            uses -> fill.enter(graph().context(), uses),
            () -> GraphNodeCalls.setFill(graph().context(), value(), fill));
  }
}
