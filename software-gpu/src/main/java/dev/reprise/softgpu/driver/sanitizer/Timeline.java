package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.memory.AddressSpace;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Vector clocks of the streams of all devices and of the program. Component i of a clock says how
 * far stream i has come, in pieces of work, at the latest. All threads of the program share one
 * clock: how they order themselves is not seen here, so what one of them knows counts as known to
 * all. Thread-safe.
 */
final class Timeline {

  private static final long[] NOTHING = {};

  /** A stream. */
  static final class Lane {
    private final int index;
    private long submitted;

    /** The clock behind the last piece of work that was submitted. */
    private long[] last = NOTHING;

    /** What the work that has run has waited for beyond what was known when it was submitted. */
    private long[] learnt = NOTHING;

    private Lane(int index) {
      this.index = index;
    }

    int index() {
      return index;
    }
  }

  private int lanes;
  private long[] host = NOTHING;
  private SeenNodes hostNodes = SeenNodes.NONE;
  private final Map<Long, long[]> released = new HashMap<>();

  synchronized Lane lane() {
    return new Lane(lanes++);
  }

  /** The clock of a new piece of work of a stream, which comes after others. */
  synchronized long[] submit(Lane lane, Iterable<long[]> after) {
    long[] clock = join(lane.last, host);
    for (long[] other : after) {
      clock = join(clock, other);
    }
    clock = Arrays.copyOf(clock, Math.max(clock.length, lane.index + 1));
    clock[lane.index] = ++lane.submitted;
    lane.last = clock;
    return clock;
  }

  /** The clock behind all that was submitted. */
  synchronized long[] end(Lane lane) {
    return join(lane.last, lane.learnt);
  }

  /** What the work of a stream that begins knows beyond its clock. */
  synchronized long[] learnt(Lane lane) {
    return lane.learnt;
  }

  /** The work of a stream knows this when it ends. */
  synchronized void learn(Lane lane, long[] clock) {
    lane.learnt = join(lane.learnt, clock);
  }

  /** The program knows that all this has passed. */
  synchronized void hostSaw(long[] clock) {
    host = join(host, clock);
  }

  /** The program knows that nodes of the launch of a graph have passed. */
  synchronized void hostSaw(Lane lane, long number, BitSet nodes) {
    hostNodes = hostNodes.with(lane.index, number, nodes);
  }

  /** What the program knows of launches that are under way. */
  synchronized SeenNodes hostNodes() {
    return hostNodes;
  }

  synchronized long[] host() {
    return host;
  }

  /** True when the program knows that a piece of work has passed. */
  synchronized boolean seenByHost(int lane, long number) {
    return lane < host.length && host[lane] >= number;
  }

  synchronized void release(long address, long[] clock) {
    released.merge(address, clock, Timeline::join);
  }

  /**
   * What one knows who has waited for a value in memory: what those knew who have set it. Memory of
   * a device that a stream has set is not taken to be set by the program.
   */
  synchronized long[] acquire(long address) {
    long[] set = released.get(address);
    if (set != null && address >= AddressSpace.FIRST_ADDRESS) {
      return set;
    }
    return join(set == null ? NOTHING : set, host);
  }

  /** The later of two clocks in every component. */
  static long[] join(long[] a, long[] b) {
    if (b.length == 0) {
      return a;
    }
    if (a.length == 0) {
      return b;
    }
    long[] joined = Arrays.copyOf(a, Math.max(a.length, b.length));
    for (int i = 0; i < b.length; i++) {
      joined[i] = Math.max(joined[i], b[i]);
    }
    return joined;
  }
}
