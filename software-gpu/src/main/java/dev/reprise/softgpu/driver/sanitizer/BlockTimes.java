package dev.reprise.softgpu.driver.sanitizer;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Up to which time the accesses of the threads of one block are known: one time for all of them,
 * and later ones for lanes of a warp. Immutable.
 */
final class BlockTimes {

  private static final int[] NO_INTS = {};
  private static final long[] NO_TIMES = {};

  private final long all;

  /** Entries by ascending warp and descending time; no lane is in two of them. */
  private final int[] warps;

  private final int[] lanes;
  private final long[] times;

  /** The latest time of any thread. */
  private final long latest;

  private BlockTimes(long all, int[] warps, int[] lanes, long[] times) {
    this.all = all;
    this.warps = warps;
    this.lanes = lanes;
    this.times = times;
    long most = all;
    for (long time : times) {
      most = Math.max(most, time);
    }
    latest = most;
  }

  /** All threads up to one time. */
  static BlockTimes of(long all) {
    return new BlockTimes(all, NO_INTS, NO_INTS, NO_TIMES);
  }

  /** Lanes of a warp up to a time. */
  static BlockTimes of(int warp, int lanes, long time) {
    return new BlockTimes(-1, new int[] {warp}, new int[] {lanes}, new long[] {time});
  }

  /** Up to which time the accesses of one thread are known. */
  long of(int warp, int lane) {
    for (int i = 0; i < warps.length; i++) {
      if (warps[i] == warp && (lanes[i] >>> lane & 1) != 0) {
        return Math.max(all, times[i]);
      }
    }
    return all;
  }

  /** What is known by one of two: one of these where it has all of the other. */
  static @Nullable BlockTimes join(@Nullable BlockTimes a, @Nullable BlockTimes b) {
    if (a == b || b == null) {
      return a;
    }
    if (a == null) {
      return b;
    }
    if (a.all >= b.latest) {
      return a;
    }
    if (b.all >= a.latest) {
      return b;
    }
    BlockTimes joined = new Merge(a, b).joined();
    return joined.same(a) ? a : joined.same(b) ? b : joined;
  }

  private boolean same(BlockTimes other) {
    return all == other.all
        && Arrays.equals(warps, other.warps)
        && Arrays.equals(lanes, other.lanes)
        && Arrays.equals(times, other.times);
  }

  /** Puts the entries of two together. */
  private static final class Merge {
    private final BlockTimes a;
    private final BlockTimes b;
    private final long all;
    private final int[] warps;
    private final int[] lanes;
    private final long[] times;
    private int count;

    /** Lanes of the warp at hand of which a later time is known. */
    private int seen;

    Merge(BlockTimes a, BlockTimes b) {
      this.a = a;
      this.b = b;
      all = Math.max(a.all, b.all);
      int most = a.warps.length + b.warps.length;
      warps = new int[most];
      lanes = new int[most];
      times = new long[most];
    }

    BlockTimes joined() {
      int i = 0;
      int k = 0;
      while (i < a.warps.length || k < b.warps.length) {
        boolean first =
            k == b.warps.length
                || i < a.warps.length
                    && (a.warps[i] < b.warps[k]
                        || a.warps[i] == b.warps[k] && a.times[i] >= b.times[k]);
        if (first) {
          add(a, i++);
        } else {
          add(b, k++);
        }
      }
      return new BlockTimes(
          all,
          Arrays.copyOf(warps, count),
          Arrays.copyOf(lanes, count),
          Arrays.copyOf(times, count));
    }

    private void add(BlockTimes from, int entry) {
      int warp = from.warps[entry];
      long time = from.times[entry];
      boolean another = count == 0 || warps[count - 1] != warp;
      int fresh = another ? from.lanes[entry] : from.lanes[entry] & ~seen;
      if (time <= all || fresh == 0) {
        return;
      }
      seen = another ? fresh : seen | fresh;
      if (!another && times[count - 1] == time) {
        lanes[count - 1] |= fresh;
      } else {
        warps[count] = warp;
        lanes[count] = fresh;
        times[count] = time;
        count++;
      }
    }
  }
}
