package dev.reprise.softgpu.driver.operation;

/** {@code CUgraphNodeType}, as far as this driver makes such nodes. */
public enum NodeType {
  KERNEL(0),
  MEMCPY(1),
  MEMSET(2),
  HOST(3),
  CHILD_GRAPH(4),
  EMPTY(5),
  WAIT_EVENT(6),
  EVENT_RECORD(7),
  EXT_SEMAS_SIGNAL(8),
  EXT_SEMAS_WAIT(9),
  MEM_ALLOC(10),
  MEM_FREE(11),
  BATCH_MEM_OP(12),
  CONDITIONAL(13);

  private final int code;

  NodeType(int code) {
    this.code = code;
  }

  /** The number in {@code cuda.h}. */
  public int code() {
    return code;
  }

  /** True for the kinds of node that bind a graph to memory of its own. */
  public boolean ofMemory() {
    return this == MEM_ALLOC || this == MEM_FREE;
  }

  /** True for the kinds of node that an executable graph can switch off. */
  public boolean canBeDisabled() {
    return this == KERNEL || this == MEMCPY || this == MEMSET;
  }
}
