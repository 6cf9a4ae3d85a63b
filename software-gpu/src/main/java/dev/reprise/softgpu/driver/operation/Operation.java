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

  /** Bytes that an executable graph keeps for it: what kind of node it is, and its arguments. */
  default int storedBytes() {
    return NODE_BYTES;
  }

  /** The record of a node: where it stands, what it does and to what. */
  int NODE_BYTES = 64;
}
