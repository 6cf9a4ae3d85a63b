package dev.reprise.softgpu.driver.graph;

/** Writes a graph in the DOT language, child graphs and bodies as clusters. */
public final class DotWriter {

  private final StringBuilder out = new StringBuilder();

  private DotWriter() {}

  /** The text of one graph. */
  public static String write(Graph graph) {
    DotWriter writer = new DotWriter();
    writer.out.append("digraph graph_").append(Long.toHexString(graph.handle())).append(" {\n");
    writer.body(graph, "  ");
    return writer.out.append("}\n").toString();
  }

  private void body(Graph graph, String indent) {
    for (Node node : graph.nodes()) {
      out.append(indent)
          .append(name(node))
          .append(" [label=\"")
          .append(node.type())
          .append("\\n")
          .append(escape(node.operation().describe()))
          .append("\"];\n");
      if (node.operation() instanceof Nesting nesting) {
        int number = 0;
        for (Graph inner : nesting.graphs()) {
          out.append(indent).append("subgraph cluster_").append(name(node));
          out.append(number == 0 ? "" : "_" + number).append(" {\n");
          body(inner, indent + "  ");
          out.append(indent).append("}\n");
          number++;
        }
      }
    }
    for (Edge edge : graph.edges()) {
      out.append(indent)
          .append(name(edge.from()))
          .append(" -> ")
          .append(name(edge.to()))
          .append(";\n");
    }
  }

  private static String name(Node node) {
    return "node_" + Long.toHexString(node.handle());
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
