package dev.reprise.graph.cache;

/**
 * What captured steps may take.
 *
 * @param maxGraphs the most captured steps at a time
 * @param maxBytes the most device bytes they take together
 * @param unprovenCaptures after so many captures in a row none of which was replayed twice, no more
 *     are made for a while: the keys change faster than graphs can pay
 */
public record GraphLimits(int maxGraphs, long maxBytes, int unprovenCaptures) {

  /** Checks the limits. */
  public GraphLimits {
    if (maxGraphs < 0 || maxBytes < 0 || unprovenCaptures < 1) {
      throw new IllegalArgumentException(
          "Limits of graphs cannot be %d graphs, %d bytes and %d unproven captures"
              .formatted(maxGraphs, maxBytes, unprovenCaptures));
    }
  }

  /** No limit but that on captures that do not pay. */
  public static GraphLimits standard() {
    return new GraphLimits(Integer.MAX_VALUE, Long.MAX_VALUE, 64);
  }
}
