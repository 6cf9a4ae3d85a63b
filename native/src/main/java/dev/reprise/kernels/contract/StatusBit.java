package dev.reprise.kernels.contract;

import java.util.EnumSet;
import java.util.Set;

/**
 * A bit of the device's status word: how a kernel says that an input of a live row was broken. The
 * word starts at 0, bits are only ever or-ed in, and the host reads it when it reads the tokens.
 */
public enum StatusBit {
  /** A position is at or beyond the rotary table; the row's query is NaN and no KV was written. */
  POSITION_BEYOND_ROTARY(1),
  /** A position needs a block-table entry beyond the table; no KV was written, attention is NaN. */
  POSITION_BEYOND_TABLE(2),
  /** A block-table entry in use is the null block or outside the pool; no KV written, NaN read. */
  BLOCK_OUT_OF_POOL(4),
  /** A live row names a block table that does not exist. */
  SEQUENCE_OUT_OF_RANGE(8),
  /** All logits of a row are NaN; its token is -1. */
  NOTHING_TO_SAMPLE(16),
  /** A live row had no token to go on with and was left at its position. */
  ROW_NOT_ADVANCED(32),
  /** A row index names a row that does not exist. */
  ROW_OUT_OF_RANGE(64),
  /** A live row names a history or adapter slot that does not exist; the row ran without it. */
  SLOT_OUT_OF_RANGE(128),
  /** A position is at or beyond the context that the step was prepared for; attention is NaN. */
  POSITION_BEYOND_BUCKET(256);

  private final int mask;

  StatusBit(int mask) {
    this.mask = mask;
  }

  /** The bit. */
  public int mask() {
    return mask;
  }

  /**
   * The bits set in a status word.
   *
   * @throws IllegalArgumentException when the word has a bit that no kernel sets
   */
  public static Set<StatusBit> decode(int word) {
    Set<StatusBit> set = EnumSet.noneOf(StatusBit.class);
    int rest = word;
    for (StatusBit bit : values()) {
      if ((word & bit.mask) != 0) {
        set.add(bit);
        rest &= ~bit.mask;
      }
    }
    if (rest != 0) {
      throw new IllegalArgumentException(
          "Status word 0x%x has unknown bits 0x%x; it was not written by these kernels alone."
              .formatted(word, rest));
    }
    return set;
  }
}
