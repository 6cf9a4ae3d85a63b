package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.sanitizer.CallStack;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * One operation that accesses memory.
 *
 * @param lane its stream
 * @param number its piece of work in the stream
 * @param clock all that comes before it, and itself
 * @param node its node in a graph, -1 outside graphs
 * @param before the nodes of the same launch that come before it
 * @param work what it is
 * @param launched where it was launched
 * @param captured where its node was made; null outside graphs
 */
record Access(
    int lane,
    long number,
    long[] clock,
    int node,
    BitSet before,
    SeenNodes seen,
    Work work,
    CallStack launched,
    @Nullable CallStack captured) {

  /** What it does to bytes. */
  enum Kind {
    READ("reads"),
    WRITE("writes"),
    ATOMIC("updates"),
    /** Reads or writes, as one of several that synchronise by it. */
    SYNC("synchronises by"),
    ALLOCATE("allocates"),
    FREE("frees");

    private final String verb;

    Kind(String verb) {
      this.verb = verb;
    }

    String verb() {
      return verb;
    }
  }

  /** True when another operation, which has run already, had to come before this one. */
  boolean after(Access earlier) {
    if (sameLaunch(earlier)) {
      return earlier.node == node || before.get(earlier.node);
    }
    return earlier.lane < clock.length && clock[earlier.lane] >= earlier.number
        || seen.has(earlier.lane, earlier.number, earlier.node);
  }

  /** True for two nodes of one launch of a graph, or one operation. */
  boolean sameLaunch(Access other) {
    return lane == other.lane && number == other.number;
  }
}
