package dev.reprise.softgpu.driver.graph;

/** A dependency: {@code to} runs after {@code from}. */
public record Edge(Node from, Node to) {}
