package dev.reprise.kernels;

/** Limits that several kernels share, and how they size their blocks. */
final class Limits {

  /** Rows: the second axis of a grid has at most 65,535 blocks. */
  static final int ROWS = 65_535;

  /** Width of an activation. */
  static final int WIDTH = 1 << 20;

  /** Tokens in a vocabulary: sums of 40-bit masses stay under 2^58. */
  static final int VOCABULARY = 1 << 18;

  private Limits() {}

  /** Threads of a block that has four elements a thread, in whole warps. */
  static int threads(int elements, int most) {
    return Math.clamp(((long) elements + 127) / 128 * 32, 32, most);
  }

  static int divideUp(long a, long b) {
    return Math.toIntExact((a + b - 1) / b);
  }
}
