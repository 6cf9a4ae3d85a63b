package dev.reprise.architecture.planted.graph;

import tools.jackson.databind.json.JsonMapper;

/** Keeps to the rule: the graph runtime may use Jackson. */
public final class GraphThatUsesJackson {

  /** A use of the library. */
  public final JsonMapper mapper = JsonMapper.shared();
}
