package dev.reprise.graph.decode;

import dev.reprise.graph.kv.KvSequence;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whom a step in flight is for. Used again for later steps of its result slot. */
final class Flight {

  private final @Nullable DecodeSequence[] sampled;
  private int sampledCount;
  private final @Nullable DecodeSequence[] prompts;
  private final @Nullable KvSequence[] blocks;
  private final int[] ends;
  private int chunkCount;

  Flight(int rows) {
    sampled = new @Nullable DecodeSequence[rows];
    prompts = new @Nullable DecodeSequence[rows];
    blocks = new @Nullable KvSequence[rows];
    ends = new int[rows];
  }

  /** A step begins; what it is for is added bit by bit. */
  void begin() {
    sampledCount = 0;
    chunkCount = 0;
  }

  /** The step samples a token for a sequence, in the next of its logits rows. */
  void samples(DecodeSequence sequence) {
    sampled[sampledCount++] = sequence;
  }

  /**
   * The step computes a chunk of a prompt.
   *
   * @param kv the blocks that it is written to
   * @param end the position after it
   */
  void computes(DecodeSequence sequence, KvSequence kv, int end) {
    prompts[chunkCount] = sequence;
    blocks[chunkCount] = kv;
    ends[chunkCount++] = end;
  }

  /** For how many sequences it samples a token. */
  int sampledCount() {
    return sampledCount;
  }

  /** The sequence of a logits row. */
  DecodeSequence sampled(int logitRow) {
    return Objects.requireNonNull(sampled[logitRow]);
  }

  /** How many chunks of prompts it computes. */
  int chunkCount() {
    return chunkCount;
  }

  /** The sequence of a chunk. */
  DecodeSequence prompt(int chunk) {
    return Objects.requireNonNull(prompts[chunk]);
  }

  /** The blocks of a chunk. */
  KvSequence blocks(int chunk) {
    return Objects.requireNonNull(blocks[chunk]);
  }

  /** The position after a chunk. */
  int end(int chunk) {
    return ends[chunk];
  }
}
