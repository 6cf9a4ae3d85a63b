package dev.reprise.softgpu.simulation;

import java.util.List;

/** A simulation while it is under way. Thread-safe. */
public interface SimulationSession extends AutoCloseable {

  /** What decides the order. */
  long seed();

  /** What has gone so far, or until it was closed, in order; at most the first 100,000 pieces. */
  List<String> order();

  /** Ends it; streams that took part go on in a plain order. Idempotent. */
  @Override
  void close();
}
