package dev.reprise.softgpu.driver.support;

import java.util.Locale;

/** The kinds of object that the driver API hands out as opaque pointers. */
public enum HandleKind {
  CONTEXT(1),
  STREAM(2),
  EVENT(3),
  MODULE(4),
  FUNCTION(5),
  GRAPH(6),
  GRAPH_NODE(7),
  GRAPH_EXEC(8),
  MEMORY_POOL(9),
  USER_OBJECT(10),
  PHYSICAL_MEMORY(11),
  LIBRARY(12),
  KERNEL(13),
  EXTERNAL_SEMAPHORE(14),
  EXTERNAL_MEMORY(15);

  private final long tag;

  HandleKind(long tag) {
    this.tag = tag;
  }

  /** What the upper bits of handles of this kind are. */
  long tag() {
    return tag;
  }

  /** The kind in words. */
  public String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
