package dev.reprise.graph.schedule;

import java.util.List;

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
  record Chunk<S extends ScheduledSequence>(S sequence, int from, int to, boolean last) {}

  /** Chunks of one or more prompts, packed into one step; at most one of each sequence. */
  record Prefill<S extends ScheduledSequence>(List<Chunk<S>> chunks) implements Decision<S> {

    /** Copies the list. */
    public Prefill {
      chunks = List.copyOf(chunks);
    }

    /** Positions of all chunks together. */
    public int positions() {
      return chunks.stream().mapToInt(chunk -> chunk.to() - chunk.from()).sum();
    }
  }

  /** A step of all rows, each sampling one token. */
  record Decode<S extends ScheduledSequence>() implements Decision<S> {}

  /** Nothing before a step in flight is complete or a request arrives. */
  record Idle<S extends ScheduledSequence>() implements Decision<S> {}
}
