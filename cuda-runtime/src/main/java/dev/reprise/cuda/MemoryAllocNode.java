package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Allocates device memory at each replay, at an address that never changes. Its parameters cannot
 * be changed. See CUDA Driver API, "Graph Management", {@code cuGraphAddMemAllocNode}.
 */
public final class MemoryAllocNode extends GraphNode {

  /**
   * What it allocates, as the driver tells it.
   *
   * @param address the device address, the same in each replay
   * @param bytes how much
   * @param peers other devices whose kernels may read and write it, by their numbers
   */
  public record Parameters(long address, long bytes, List<Integer> peers) {}

  MemoryAllocNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.MEMORY_ALLOCATION, parent);
  }

  /** What it allocates. */
  public Parameters parameters() {
    synchronized (graph()) {
      checkPresent();
      return GraphMemoryCalls.allocation(graph().context(), value());
    }
  }

  /**
   * The memory, for the nodes that come after this one and before the free. If the graph does not
   * free it, it may be used outside of the graph too, by operations that come after the replay,
   * until it is freed by {@link Stream#free} or by another graph.
   *
   * <p>It is the graph's: it is closed with the graph. Closing it before says that nothing outside
   * of the graph is to use it any more; then the graph and others that use it become stale, unless
   * the graph frees it.
   *
   * @throws IllegalStateException if another library made the node
   */
  public DeviceBuffer buffer() {
    synchronized (graph()) {
      checkPresent();
      Attachment uses = graph().handle().contents().of(value().address());
      if (uses == null || uses.allocated().isEmpty()) {
        throw new IllegalStateException(this + " was made by another library.");
      }
      return uses.allocated().getFirst().buffer();
    }
  }
}
