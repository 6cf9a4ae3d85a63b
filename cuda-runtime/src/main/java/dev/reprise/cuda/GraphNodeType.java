package dev.reprise.cuda;

/** The kinds of graph nodes that the driver has ({@code CUgraphNodeType}). */
public enum GraphNodeType {
  /** A kernel launch. */
  KERNEL(0),
  /** A copy. */
  MEMCPY(1),
  /** A fill. */
  MEMSET(2),
  /** A host function. */
  HOST(3),
  /** A graph embedded in another. */
  CHILD_GRAPH(4),
  /** Nothing; it only orders others. */
  EMPTY(5),
  /** A wait for an event. */
  EVENT_WAIT(6),
  /** The record of an event. */
  EVENT_RECORD(7),
  /** A signal of an external semaphore. */
  SEMAPHORE_SIGNAL(8),
  /** A wait for an external semaphore. */
  SEMAPHORE_WAIT(9),
  /** An allocation of device memory. */
  MEMORY_ALLOCATION(10),
  /** The end of an allocation. */
  MEMORY_FREE(11),
  /** Waits for and writes to memory words. */
  BATCH_MEMORY_OPERATION(12),
  /** A body that runs depending on a value. */
  CONDITIONAL(13),
  /** A kind that this version of the library does not know. */
  UNKNOWN(-1);

  private final int code;

  GraphNodeType(int code) {
    this.code = code;
  }

  /** The number in {@code cuda.h}. */
  public int code() {
    return code;
  }

  static GraphNodeType of(int code) {
    for (GraphNodeType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    return UNKNOWN;
  }
}
