package dev.reprise.graph.decode;

import dev.reprise.graph.kv.KvSequence;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whom a step in flight is for. Used again for later steps of its result slot. */
final class Flight {

  private final @Nullable DecodeSequence[] sequences;
  private int count;
  private boolean sampled;
  private @Nullable KvSequence chunkOf;
  private int chunkEnd;

  Flight(int rows) {
    sequences = new @Nullable DecodeSequence[rows];
  }

  /** A decode step begins; its rows are added one by one. */
  void ofRows() {
    count = 0;
    sampled = true;
    chunkOf = null;
  }

  void add(DecodeSequence sequence) {
    sequences[count++] = sequence;
  }

  /**
   * A chunk of a prompt.
   *
   * @param kv the blocks that it is written to
   * @param end the position after it
   * @param last whether it samples a token
   */
  void ofChunk(DecodeSequence sequence, KvSequence kv, int end, boolean last) {
    sequences[0] = sequence;
    count = 1;
    sampled = last;
    chunkOf = kv;
    chunkEnd = end;
  }

  int count() {
    return count;
  }

  DecodeSequence sequence(int i) {
    return Objects.requireNonNull(sequences[i]);
  }

  /** Whether the step samples a token for each sequence. */
  boolean sampled() {
    return sampled;
  }

  /** The blocks of a chunk; null for a decode step. */
  @Nullable KvSequence chunkOf() {
    return chunkOf;
  }

  int chunkEnd() {
    return chunkEnd;
  }
}
