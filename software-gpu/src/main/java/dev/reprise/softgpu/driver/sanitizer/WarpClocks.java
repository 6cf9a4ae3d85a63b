package dev.reprise.softgpu.driver.sanitizer;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of one warp know beyond what their block does, and what they pass on. Parts that
 * are null are empty.
 */
final class WarpClocks {

  private static final int LANES = 32;

  /** What a thread has of others. */
  enum Part {
    /** What the thread comes behind. */
    KNOWN,
    /** What its last fence for all blocks came behind: its strong stores pass that on. */
    FENCED,
    /** The same of a fence for its block, or for all. */
    FENCED_HERE,
    /** What its strong loads have seen since its last fence for all blocks. */
    LOADED,
    /** The same of its atomic updates. */
    UPDATED,
    /** What it has seen by any strong access that its block has released, since any fence. */
    SEEN_HERE
  }

  private static final Part[] PARTS = Part.values();

  private final @Nullable ThreadClock[] @Nullable [] clocks =
      new @Nullable ThreadClock[PARTS.length] @Nullable [];

  /** Whether lanes may differ. */
  private boolean uneven;

  @Nullable ThreadClock get(Part part, int lane) {
    @Nullable ThreadClock[] all = clocks[part.ordinal()];
    return all == null ? null : all[lane];
  }

  /** What any of the lanes has. */
  @Nullable ThreadClock all(Part part, int lanes) {
    @Nullable ThreadClock[] all = clocks[part.ordinal()];
    ThreadClock joined = null;
    if (all != null) {
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        joined = ThreadClock.join(joined, all[Integer.numberOfTrailingZeros(rest)]);
      }
    }
    return joined;
  }

  void set(Part part, int lanes, @Nullable ThreadClock clock) {
    @Nullable ThreadClock[] all = clocks[part.ordinal()];
    if (all == null) {
      if (clock == null) {
        return;
      }
      all = new @Nullable ThreadClock[LANES];
      clocks[part.ordinal()] = all;
    }
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      all[Integer.numberOfTrailingZeros(rest)] = clock;
    }
    uneven |= lanes != -1;
  }

  void add(Part part, int lane, @Nullable ThreadClock clock) {
    if (clock != null) {
      set(part, 1 << lane, ThreadClock.join(get(part, lane), clock));
    }
  }

  /** The lanes have waited for each other. */
  void meet() {
    if (uneven) {
      for (Part part : PARTS) {
        set(part, -1, all(part, -1));
      }
      uneven = false;
    }
  }

  void clear() {
    Arrays.fill(clocks, null);
    uneven = false;
  }
}
