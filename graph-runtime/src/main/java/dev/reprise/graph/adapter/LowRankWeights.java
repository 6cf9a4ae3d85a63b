package dev.reprise.graph.adapter;

/**
 * What an adapter adds to one projection (LoRA; Hu et al., 2021): {@code y += scale · B · A · x}.
 * The arrays are not copied.
 *
 * @param rank columns of B and rows of A, at least 1
 * @param scale α / rank
 * @param a {@code [rank][in]}
 * @param b {@code [out][rank]}
 */
@SuppressWarnings("ArrayRecordComponent")
public record LowRankWeights(int rank, float scale, float[] a, float[] b) {

  /** Checks what does not depend on the projection. */
  public LowRankWeights {
    if (rank < 1) {
      throw new IllegalArgumentException("A low-rank matrix has a rank of 1 or more: " + rank);
    }
    if (!Float.isFinite(scale)) {
      throw new IllegalArgumentException("The scale of an adapter must be a number: " + scale);
    }
  }
}
