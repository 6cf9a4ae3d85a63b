package dev.reprise.graph.decode;

import dev.reprise.cuda.Stream;

/** The prepared work of a step. */
@FunctionalInterface
public interface Step {

  /**
   * Enqueues the step, allocating nothing and waiting for nothing, so that it may be captured.
   *
   * @param stream the stream that orders the step
   */
  void enqueue(Stream stream);
}
