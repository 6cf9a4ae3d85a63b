package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessChecker;
import dev.reprise.cuda.access.GraphOrder;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Checks that the nodes of a graph which use the same memory are ordered by its edges. */
final class GraphAccess {

  private GraphAccess() {}

  /**
   * Reports nodes that are not, if that is checked on the graph's device; the lock of the graph is
   * held. A child graph counts as one node.
   *
   * @throws dev.reprise.cuda.diagnostics.UnorderedAccessException if such graphs are refused
   */
  static void check(GraphHandle graph) {
    Context context = graph.context();
    AccessChecker checker = context.checker();
    if (checker == null) {
      return;
    }
    GraphOrder order = new GraphOrder(graph.label());
    for (MemorySegment node : GraphNodeCalls.nodes(context, graph.value())) {
      Attachment uses = graph.contents().of(node.address());
      List<Long> behind =
          GraphNodeCalls.dependencies(context, node).stream().map(MemorySegment::address).toList();
      order.add(node.address(), behind, uses == null ? List.of() : uses.access().uses());
    }
    order.check(checker);
  }
}
