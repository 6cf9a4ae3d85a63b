package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.queue.Work;

/**
 * What one entry of a stream or one node of a graph does. Immutable: the arguments were copied when
 * the call was made, so an operation can be shared by streams, graphs and executable graphs.
 */
public interface Operation extends Work {

  /** The kind of node this is in a graph. */
  NodeType type();

  /** One line for people: what it does to what. */
  String describe();
}
