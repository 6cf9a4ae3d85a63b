package dev.reprise.architecture.planted.cuda;

import tools.jackson.databind.json.JsonMapper;

/** Breaks the rule that the runtime depends on the JDK and SLF4J alone. */
public final class RuntimeThatUsesJackson {

  /** A use of a library. */
  public final JsonMapper mapper = JsonMapper.shared();
}
