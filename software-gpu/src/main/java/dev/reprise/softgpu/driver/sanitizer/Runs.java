package dev.reprise.softgpu.driver.sanitizer;

import java.util.Arrays;

/**
 * The bytes that lanes of a warp access by one instruction, as ranges: what a lane accesses behind
 * the lane before it is joined with that, and what many lanes share is there once where they follow
 * each other. Made anew for each instruction.
 */
final class Runs {

  private static final int LANES = 32;

  private final long[] starts = new long[LANES];
  private final long[] ends = new long[LANES];
  private int count;

  /** Those of the lanes in a mask, each of which accesses so many bytes. */
  void set(int lanes, long[] addresses, int bytes) {
    int n = 0;
    long start = 0;
    long end = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      long address = addresses[Integer.numberOfTrailingZeros(rest)];
      if (address == end && end != start) {
        end += bytes;
      } else if (address < start || address + bytes > end) {
        n = add(n, start, end);
        start = address;
        end = address + bytes;
      }
    }
    count = add(n, start, end);
  }

  /** Adds a range unless it is empty, or the same as the one before. */
  private int add(int n, long start, long end) {
    if (start == end || n > 0 && starts[n - 1] == start && ends[n - 1] == end) {
      return n;
    }
    starts[n] = start;
    ends[n] = end;
    return n + 1;
  }

  /** How many there are. */
  int count() {
    return count;
  }

  /** Address of the first byte. */
  long start(int run) {
    return starts[run];
  }

  /** Address behind the last byte. */
  long end(int run) {
    return ends[run];
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOf(starts, count))
        + " to "
        + Arrays.toString(Arrays.copyOf(ends, count));
  }
}
