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
   * held. A child graph counts as one node, and so does a conditional node with its bodies.
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
      List<Long> behind =
          GraphEdgeCalls.dependencies(context, node).nodes().stream()
              .map(MemorySegment::address)
              .toList();
      order.add(node.address(), behind, graph.contents().usesWithin(node.address()));
    }
    order.check(checker);
  }
}
