package dev.reprise.llama.tokenizer;

import java.util.Arrays;

/**
 * Merges the tokens of one piece: again and again the adjacent pair of the lowest rank, the
 * leftmost of equals, becomes one token, until no pair has a merge (Sennrich et al. 2016, "Neural
 * Machine Translation of Rare Words with Subword Units"). The tokens form a linked list and the
 * candidate pairs a heap, so that n tokens take O(n log n) steps. Not thread-safe; made to be used
 * for many pieces.
 */
final class BytePairMerger {
  private static final int NONE = -1;

  private final MergeTable merges;
  private final LongHeap candidates = new LongHeap();
  private int[] tokens = new int[64];
  private int[] next = new int[64];
  private int[] previous = new int[64];
  private int size;

  BytePairMerger(MergeTable merges) {
    this.merges = merges;
  }

  /** Adds a token to the end of the piece. */
  void add(int token) {
    if (size == tokens.length) {
      tokens = Arrays.copyOf(tokens, size * 2);
      next = Arrays.copyOf(next, size * 2);
      previous = Arrays.copyOf(previous, size * 2);
    }
    tokens[size] = token;
    previous[size] = size - 1;
    next[size] = size + 1;
    size++;
  }

  /** Merges the piece, appends what remains to {@code out}, and is empty for the next piece. */
  void mergeInto(IntList out) {
    if (size == 0) {
      return;
    }
    next[size - 1] = NONE;
    for (int at = 0; next[at] != NONE; at++) {
      offer(at);
    }
    while (!candidates.isEmpty()) {
      long candidate = candidates.poll();
      apply((int) (candidate >>> 32), (int) candidate);
    }
    for (int at = 0; at != NONE; at = next[at]) {
      out.add(tokens[at]);
    }
    size = 0;
  }

  private void offer(int left) {
    int rank = merges.rank(tokens[left], tokens[next[left]]);
    if (rank >= 0) {
      candidates.add((long) rank << 32 | left);
    }
  }

  private void apply(int rank, int left) {
    // A candidate is out of date when one of its tokens has since been merged: a rank belongs to
    // one pair only.
    if (tokens[left] == NONE
        || next[left] == NONE
        || merges.rank(tokens[left], tokens[next[left]]) != rank) {
      return;
    }
    int right = next[left];
    tokens[left] = merges.result(rank);
    tokens[right] = NONE;
    next[left] = next[right];
    if (next[left] != NONE) {
      previous[next[left]] = left;
      offer(left);
    }
    if (previous[left] != NONE) {
      offer(previous[left]);
    }
  }
}
