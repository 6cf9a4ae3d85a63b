package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Frees, at each replay, memory that a {@link MemoryAllocNode} allocated. See CUDA Driver API,
 * "Graph Management", {@code cuGraphAddMemFreeNode}.
 */
public final class MemoryFreeNode extends GraphNode {

  MemoryFreeNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.MEMORY_FREE, parent);
  }

  /** The device address that it frees, as the driver tells it. */
  public long address() {
    synchronized (graph()) {
      checkPresent();
      return GraphMemoryCalls.freedAddress(graph().context(), value());
    }
  }
}
