package dev.reprise.softgpu.driver.sanitizer;

import org.jspecify.annotations.Nullable;

/**
 * A vector clock over all threads of a launch: up to which time the accesses of each are known.
 * Immutable; a tree by the number of the block whose parts are shared by the clocks that are made
 * of each other, so that one which adds a block to another costs as much as the tree is high, and
 * so does the union of two that differ in few blocks.
 */
final class ThreadClock {

  private static final int BITS = 5;
  private static final int WIDTH = 1 << BITS;

  private final @Nullable Object[] root;

  /** Levels of nodes; those of the lowest hold {@link BlockTimes}. */
  private final int height;

  private ThreadClock(@Nullable Object[] root, int height) {
    this.root = root;
    this.height = height;
  }

  /** That knows of one block. */
  static ThreadClock of(int block, BlockTimes times) {
    Object child = times;
    int height = 0;
    int rest = block;
    @Nullable Object[] node;
    do {
      node = new @Nullable Object[WIDTH];
      node[rest & WIDTH - 1] = child;
      child = node;
      rest >>>= BITS;
      height++;
    } while (rest != 0);
    return new ThreadClock(node, height);
  }

  /** What is known by one of two: one of these where it has all of the other. */
  static @Nullable ThreadClock join(@Nullable ThreadClock a, @Nullable ThreadClock b) {
    if (a == b || b == null) {
      return a;
    }
    if (a == null) {
      return b;
    }
    if (a.height < b.height) {
      return join(b, a);
    }
    @Nullable Object[] other = b.root(a.height);
    @Nullable Object[] joined = join(a.root, other, a.height);
    return joined == a.root
        ? a
        : joined == other && b.height == a.height ? b : new ThreadClock(joined, a.height);
  }

  /** The root of a tree of more levels. */
  private @Nullable Object[] root(int levels) {
    @Nullable Object[] node = root;
    for (int i = height; i < levels; i++) {
      @Nullable Object[] above = new @Nullable Object[WIDTH];
      above[0] = node;
      node = above;
    }
    return node;
  }

  private static @Nullable Object[] join(@Nullable Object[] a, @Nullable Object[] b, int level) {
    @Nullable Object[] joined = null;
    boolean right = true;
    for (int i = 0; i < WIDTH; i++) {
      @Nullable Object x = a[i];
      @Nullable Object y = b[i];
      @Nullable Object both;
      if (x == y || y == null) {
        both = x;
      } else if (x == null) {
        both = y;
      } else if (level == 1) {
        both = BlockTimes.join((BlockTimes) x, (BlockTimes) y);
      } else {
        both = join((@Nullable Object[]) x, (@Nullable Object[]) y, level - 1);
      }
      right &= both == y;
      if (joined == null && both != x) {
        joined = a.clone();
      }
      if (joined != null) {
        joined[i] = both;
      }
    }
    return joined == null ? a : right ? b : joined;
  }

  /** Up to which time the accesses of a thread are known; -1 where nothing is. */
  long of(int block, int warp, int lane) {
    if (BITS * height < Integer.SIZE && block >>> BITS * height != 0) {
      return -1;
    }
    @Nullable Object node = root;
    for (int level = height - 1; level >= 0; level--) {
      node = ((@Nullable Object[]) node)[block >>> BITS * level & WIDTH - 1];
      if (node == null) {
        return -1;
      }
    }
    return ((BlockTimes) node).of(warp, lane);
  }

  /** True when an access is known that a thread has made at a time. */
  static boolean knows(@Nullable ThreadClock clock, int block, int warp, int lane, long time) {
    return clock != null && clock.of(block, warp, lane) >= time;
  }
}
