package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.operation.Operation;

/**
 * A node that stands for a whole graph, embedded in its parent. Instantiation puts the nodes of the
 * child in its place, so it never runs itself.
 */
public record ChildGraph(Graph graph) implements Operation {

  @Override
  public NodeType type() {
    return NodeType.CHILD_GRAPH;
  }

  @Override
  public String describe() {
    return "child graph of " + graph.nodes().size() + " nodes";
  }

  @Override
  public void run() {
    throw new IllegalStateException("a child graph runs as the nodes it was expanded to");
  }
}
