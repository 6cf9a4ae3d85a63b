package dev.reprise.cli.gpucheck;

import java.util.List;

/**
 * How much is checked and measured.
 *
 * @param quick fewer shapes, tokens and nodes, for a slow device
 * @param seconds what the measurements may take together; the checks come on top
 */
public record CheckPlan(boolean quick, int seconds) {

  /** Seed of the kernels' inputs and of sampling. */
  static final long SEED = 20_261;

  /** Checks the limit. */
  public CheckPlan {
    if (seconds < 1) {
      throw new IllegalArgumentException("--seconds must be 1 or more: it is " + seconds);
    }
  }

  /** What the measurements take unless something else is asked for. */
  public static int standardSeconds(boolean quick) {
    return quick ? 12 : 100;
  }

  /** Tokens of a continuation. */
  int tokens() {
    return quick ? 16 : 64;
  }

  /** Rows of the buckets. */
  List<Integer> rows() {
    return quick ? List.of(1, 4) : List.of(1, 2, 4, 8);
  }

  /** Kernel nodes of a graph. */
  List<Integer> nodes() {
    return quick
        ? List.of(1, 10, 50, 100, 200)
        : List.of(1, 2, 5, 10, 20, 50, 100, 200, 400, 700, 1000);
  }

  /** Bytes of a copy. */
  List<Long> copyBytes() {
    return quick
        ? List.of(4L << 10, 256L << 10, 4L << 20)
        : List.of(4L << 10, 64L << 10, 1L << 20, 16L << 20, 256L << 20);
  }

  /** The end of a part of the time, from now. */
  Deadline deadline(double share) {
    return new Deadline(System.nanoTime() + (long) (share * seconds * 1e9));
  }

  /** A point in time. */
  record Deadline(long nanoTime) {

    boolean passed() {
      return System.nanoTime() - nanoTime >= 0;
    }
  }
}
