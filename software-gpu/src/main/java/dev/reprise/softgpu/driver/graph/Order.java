package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.Operation;
import java.util.ArrayList;
import java.util.BitSet;
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

  /** For each of the nodes the numbers of those that its edges put before it. */
  private final List<BitSet> before = new ArrayList<>();

  private final Map<Node, List<Order>> bodies = new HashMap<>();

  private Order() {}

  /** The order of a graph without cycles. */
  static Order of(Graph graph) {
    Order order = new Order();
    order.expand(graph, new BitSet());
    return order;
  }

  /** Adds the nodes of a graph, which comes after others, and says which numbers they have. */
  private BitSet expand(Graph graph, BitSet after) {
    BitSet all = new BitSet();
    Map<Node, BitSet> until = new HashMap<>();
    List<Node> sorted = graph.topologicalOrder();
    if (sorted == null) {
      throw new IllegalStateException(graph + " became cyclic");
    }
    for (Node node : sorted) {
      BitSet earlier = (BitSet) after.clone();
      node.dependencies()
          .forEach(dependency -> earlier.or(until.getOrDefault(dependency, earlier)));
      BitSet upTo = (BitSet) earlier.clone();
      until.put(node, upTo);
      if (node.operation() instanceof ChildGraph(Graph child)) {
        BitSet inner = expand(child, earlier);
        upTo.or(inner);
        all.or(inner);
        continue;
      }
      upTo.set(nodes.size());
      all.set(nodes.size());
      before.add(earlier);
      switch (node.operation()) {
        case Conditional conditional -> {
          nodes.add(node);
          bodies.put(node, conditional.graphs().stream().map(Order::of).toList());
        }
        default -> nodes.add(node);
      }
    }
    return all;
  }

  /** What a launch does, given what each node does. */
  Plan plan(Function<Node, Operation> does) {
    return plan(does, false);
  }

  private Plan plan(Function<Node, Operation> does, boolean body) {
    List<Plan.Step> steps = new ArrayList<>(nodes.size());
    for (Node node : nodes) {
      Operation operation = does.apply(node);
      List<Plan> inner =
          bodies.getOrDefault(node, List.of()).stream()
              .map(order -> order.plan(does, true))
              .toList();
      steps.add(new Plan.Step(operation, inner));
    }
    return new Plan(steps, before, body);
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
