package dev.reprise.cuda;

/**
 * One edge of a graph: {@code to} waits for {@code from}.
 *
 * @param kind for what of it
 */
public record GraphEdge(GraphNode from, GraphNode to, EdgeKind kind) {}
