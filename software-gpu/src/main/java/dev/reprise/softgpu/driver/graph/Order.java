package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The order in which the nodes of an executable graph run: each after those it depends on, with the
 * nodes of child graphs in the place of theirs. Edges do not change after instantiation, so it is
 * found once; what the nodes do is asked for anew after each update.
 */
final class Order {

  private final List<Node> nodes = new ArrayList<>();
  private final Map<Node, List<Order>> bodies = new HashMap<>();

  private Order() {}

  /** The order of a graph without cycles. */
  static Order of(Graph graph) {
    Order order = new Order();
    order.expand(graph);
    return order;
  }

  private void expand(Graph graph) {
    List<Node> sorted = graph.topologicalOrder();
    if (sorted == null) {
      throw new IllegalStateException(graph + " became cyclic");
    }
    for (Node node : sorted) {
      switch (node.operation()) {
        case ChildGraph(Graph child) -> expand(child);
        case Conditional conditional -> {
          nodes.add(node);
          bodies.put(node, conditional.graphs().stream().map(Order::of).toList());
        }
        default -> nodes.add(node);
      }
    }
  }

  /** What a launch does, given what each node does. */
  Plan plan(Function<Node, Operation> does) {
    List<Plan.Step> steps = new ArrayList<>(nodes.size());
    for (Node node : nodes) {
      Operation operation = does.apply(node);
      List<Plan> inner =
          bodies.getOrDefault(node, List.of()).stream().map(body -> body.plan(does)).toList();
      steps.add(new Plan.Step(operation, inner));
    }
    return new Plan(steps);
  }

  /** Bytes that an executable graph keeps for its nodes. */
  long storedBytes() {
    long bytes = 0;
    for (Node node : nodes) {
      bytes += node.operation().storedBytes();
      bytes += bodies.getOrDefault(node, List.of()).stream().mapToLong(Order::storedBytes).sum();
    }
    return bytes;
  }
}
