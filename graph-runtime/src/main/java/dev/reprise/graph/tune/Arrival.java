package dev.reprise.graph.tune;

/**
 * One request of a workload.
 *
 * @param atMillis when it arrives, from the start of the workload
 * @param promptTokens tokens of its prompt
 * @param outputTokens tokens that are generated for it
 */
public record Arrival(double atMillis, int promptTokens, int outputTokens) {

  /** Checks that the time is finite and not negative, and that there are tokens. */
  public Arrival {
    if (!(atMillis >= 0 && atMillis < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("A request cannot arrive at " + atMillis + " ms");
    }
    if (promptTokens < 1 || outputTokens < 1) {
      throw new IllegalArgumentException(
          "A request has at least one prompt and one output token, not %d and %d"
              .formatted(promptTokens, outputTokens));
    }
  }
}
