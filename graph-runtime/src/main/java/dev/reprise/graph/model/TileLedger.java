package dev.reprise.graph.model;

/**
 * What one step of a tiled matrix product takes and gives: a block multiplies an m × k tile of A by
 * a k × n tile of B, both held in shared memory, in several stages so that the next tiles are
 * loaded while these are used.
 *
 * @param m rows of the output tile
 * @param n columns of the output tile
 * @param k terms that one stage holds
 * @param elementBytes bytes of an element of A and B
 * @param stages tiles of A and B that are held at once
 * @param sharedLimit bytes of shared memory that a block may have
 */
public record TileLedger(int m, int n, int k, int elementBytes, int stages, long sharedLimit) {

  /** Checks that sizes are positive. */
  public TileLedger {
    check("m", m);
    check("n", n);
    check("k", k);
    check("bytes of an element", elementBytes);
    check("number of stages", stages);
    if (sharedLimit < 0) {
      throw new IllegalArgumentException(
          "the limit on shared memory must not be negative: " + sharedLimit);
    }
  }

  private static void check(String what, int value) {
    if (value < 1 || value > 65_536) {
      throw new IllegalArgumentException("the %s must be 1 to 65536: %d".formatted(what, value));
    }
  }

  /** Bytes that one stage loads from device memory: its tile of A and its tile of B. */
  public long hbmBytes() {
    return ((long) m * k + (long) k * n) * elementBytes;
  }

  /** Bytes of shared memory that all stages take. */
  public long sharedBytes() {
    return hbmBytes() * stages;
  }

  /** Floating-point operations of one stage, a multiplication and an addition for each term. */
  public long flops() {
    return 2L * m * n * k;
  }

  /** Operations for each byte loaded. */
  public double intensity() {
    return (double) flops() / hbmBytes();
  }

  /** Bytes of the 32-bit sums of the output tile, which the block holds in registers. */
  public long accumulatorBytes() {
    return 4L * m * n;
  }

  /** Whether the stages fit into the shared memory that a block may have. */
  public boolean fits() {
    return sharedBytes() <= sharedLimit;
  }

  /** The most stages that fit; 0 when not even one does. */
  public long mostStages() {
    return sharedLimit / hbmBytes();
  }
}
