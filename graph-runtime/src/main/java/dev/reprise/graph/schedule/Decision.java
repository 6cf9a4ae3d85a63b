package dev.reprise.graph.schedule;

/**
 * What to launch next.
 *
 * @param <S> the sequences
 */
public sealed interface Decision<S extends ScheduledSequence> {

  /**
   * A chunk of a prompt: positions {@code from} … {@code to - 1} of the sequence's tokens. The last
   * chunk samples the token that follows.
   */
  record Prefill<S extends ScheduledSequence>(S sequence, int from, int to, boolean last)
      implements Decision<S> {}

  /** A step of all rows, each sampling one token. */
  record Decode<S extends ScheduledSequence>() implements Decision<S> {}

  /** Nothing before a step in flight is complete or a request arrives. */
  record Idle<S extends ScheduledSequence>() implements Decision<S> {}
}
