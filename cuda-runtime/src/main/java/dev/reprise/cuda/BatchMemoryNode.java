package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node that writes numbers to memory and waits for others, one after the other ({@code
 * CU_GRAPH_NODE_TYPE_BATCH_MEM_OP}). See CUDA Driver API, "Graph Management", {@code
 * cuGraphAddBatchMemOpNode}.
 */
public final class BatchMemoryNode extends GraphNode {

  BatchMemoryNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.BATCH_MEMORY_OPERATION, parent);
  }

  /** How many operations it has. */
  public int count() {
    synchronized (graph().lock()) {
      checkPresent();
      return BatchMemoryCalls.count(graph().context(), value());
    }
  }

  /**
   * Has it do other operations. Graphs that were instantiated before do not change, see {@link
   * GraphExec#set(BatchMemoryNode, List)}.
   */
  public void set(List<WordOperation> operations) {
    List<WordOperation> all = List.copyOf(operations);
    graph()
        .change(
            this,
            uses -> BatchMemoryCalls.enter(graph().context(), all, uses),
            () -> BatchMemoryCalls.set(graph().context(), value(), all));
  }
}
