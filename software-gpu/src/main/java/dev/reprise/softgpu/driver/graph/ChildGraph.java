package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.NodeType;
import java.util.List;

/**
 * A node that stands for a whole graph, embedded in its parent. Instantiation puts the nodes of the
 * child in its place, so it never runs itself.
 */
public record ChildGraph(Graph graph) implements Nesting {

  @Override
  public NodeType type() {
    return NodeType.CHILD_GRAPH;
  }

  @Override
  public String describe() {
    return "child graph of " + graph.nodes().size() + " nodes";
  }

  @Override
  public List<Graph> graphs() {
    return List.of(graph);
  }

  @Override
  public ChildGraph around(List<Graph> copies) {
    return new ChildGraph(copies.get(0));
  }
}
