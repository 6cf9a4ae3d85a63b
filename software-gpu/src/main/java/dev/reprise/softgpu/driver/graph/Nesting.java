package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.Operation;
import java.util.List;

/** A node that holds whole graphs of its own, which live and end with it. */
public sealed interface Nesting extends Operation permits ChildGraph, Conditional {

  /** The graphs inside, in order. */
  List<Graph> graphs();

  /** The same node around copies of its graphs. */
  Nesting around(List<Graph> copies);

  @Override
  default void run() {
    throw new IllegalStateException(describe() + " runs as the plan it became part of");
  }
}
