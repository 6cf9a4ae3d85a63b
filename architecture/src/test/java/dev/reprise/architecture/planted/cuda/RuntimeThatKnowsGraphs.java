package dev.reprise.architecture.planted.cuda;

import dev.reprise.architecture.planted.graph.GraphThatUsesALibrary;

/** Breaks the rule that the runtime does not know what is built on it. */
public final class RuntimeThatKnowsGraphs {

  /** An arrow in the wrong direction. */
  public final GraphThatUsesALibrary graph = new GraphThatUsesALibrary();
}
