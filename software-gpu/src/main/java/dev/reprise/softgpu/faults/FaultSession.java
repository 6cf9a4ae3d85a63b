package dev.reprise.softgpu.faults;

import java.util.List;

/** A plan while it is installed, and what has happened under it. Thread-safe. */
public interface FaultSession extends AutoCloseable {

  /**
   * A fault that was injected.
   *
   * @param function the exported symbol
   * @param use which use of that function it was
   * @param rule the rule that asked for it
   */
  record Injected(String function, long use, FaultRule rule) {}

  /** The calls since it was installed, by exported symbol, in the order in which they began. */
  List<String> calls();

  /** How often a function was called. */
  long count(String function);

  /** The faults injected so far, in order. */
  List<Injected> injected();

  /** Removes the plan; what it poisoned stays so. Idempotent. */
  @Override
  void close();
}
