package dev.reprise.graph.host;

import dev.reprise.graph.decode.FinishReason;
import java.util.Arrays;
import java.util.Optional;

/**
 * How a request ended.
 *
 * @param reason why it ended
 * @param tokens what was generated, also if it was cut short
 * @param timings when
 * @param failure what failed, if {@link FinishReason#FAILED}
 */
public record Completion(
    FinishReason reason, int[] tokens, Timings timings, Optional<RuntimeException> failure) {

  /**
   * Times of a request, in nanoseconds from its submission.
   *
   * @param admitted until it left the queue for the first time; the whole time if it never did
   * @param firstToken until its first token; the whole time if there was none
   * @param total until it ended
   * @param tokens until each token was known to the host
   * @param preemptions how often it lost its blocks and was computed again
   * @param reusedPositions positions of the prompt that were cached
   */
  public record Timings(
      long admitted,
      long firstToken,
      long total,
      long[] tokens,
      int preemptions,
      int reusedPositions) {

    @Override
    public boolean equals(Object other) {
      return other instanceof Timings t
          && admitted == t.admitted
          && firstToken == t.firstToken
          && total == t.total
          && Arrays.equals(tokens, t.tokens)
          && preemptions == t.preemptions
          && reusedPositions == t.reusedPositions;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(total) + Arrays.hashCode(tokens);
    }

    @Override
    public String toString() {
      return "Timings[queued %d µs, first token %d µs, total %d µs, %d tokens]"
          .formatted(admitted / 1000, firstToken / 1000, total / 1000, tokens.length);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Completion c
        && reason == c.reason
        && Arrays.equals(tokens, c.tokens)
        && timings.equals(c.timings)
        && failure.equals(c.failure);
  }

  @Override
  public int hashCode() {
    return reason.hashCode() + Arrays.hashCode(tokens);
  }

  @Override
  public String toString() {
    return "Completion[%s, %s, %s%s]"
        .formatted(
            reason,
            Arrays.toString(tokens),
            timings,
            failure.map(f -> ", " + f.getMessage()).orElse(""));
  }
}
