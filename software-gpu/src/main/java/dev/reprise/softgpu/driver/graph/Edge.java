package dev.reprise.softgpu.driver.graph;

/** A dependency: {@code to} runs after {@code from}. */
public record Edge(Node from, Node to, EdgeKind kind) {

  /** Refuses a kind that these nodes cannot have between them. */
  public Edge {
    kind.check(from.type(), to.type());
  }
}
