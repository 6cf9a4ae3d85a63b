package dev.reprise.architecture.planted.graph;

import org.assertj.core.api.Assertions;

/** Breaks the rule that the graph runtime depends on the JDK, SLF4J and Jackson alone. */
public final class GraphThatUsesALibrary {

  /** A use of a library. */
  public void use() {
    Assertions.assertThat(1).isOne();
  }
}
