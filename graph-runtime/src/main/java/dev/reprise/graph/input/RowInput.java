package dev.reprise.graph.input;

/**
 * The inputs that a step has for each row, with their padding contract.
 *
 * <p>A padding row is marked by its position alone, and a padding logits row by its row index; both
 * are the sentinel −1. Every other input of a padding row may hold anything.
 */
public enum RowInput {
  /** Token id of the row, i32; fed back on the device while decoding. */
  TOKENS(Integer.BYTES, PaddingRule.KEEP, true),
  /** Position of the row in its sequence, i32; advanced on the device while decoding. */
  POSITIONS(Integer.BYTES, PaddingRule.SENTINEL, true),
  /** Which block table the row uses, i32. */
  SEQUENCES(Integer.BYTES, PaddingRule.KEEP),
  /** Where the row's sequence keeps what it has seen, i32; −1 where it does not. */
  HISTORY_SLOTS(Integer.BYTES, PaddingRule.KEEP),
  /** Slot of the row's adapter, i32; −1 without. */
  ADAPTERS(Integer.BYTES, PaddingRule.KEEP),
  /** For each logits row the row it is computed from, i32. */
  LOGIT_ROWS(Integer.BYTES, PaddingRule.SENTINEL),
  /** For each logits row the temperature, f32; 0 takes the largest logit. */
  TEMPERATURE(Float.BYTES, PaddingRule.KEEP),
  /** For each logits row how many of the largest logits are kept, i32; 0 keeps all. */
  TOP_K(Integer.BYTES, PaddingRule.KEEP),
  /** For each logits row the probability mass that is kept, f32; 1 keeps all. */
  TOP_P(Float.BYTES, PaddingRule.KEEP),
  /** For each logits row the least probability, relative to the largest, f32; 0 keeps all. */
  MIN_P(Float.BYTES, PaddingRule.KEEP),
  /** For each logits row the seed of its random numbers, u64. */
  SEEDS(Long.BYTES, PaddingRule.KEEP),
  /** For each logits row what divides or multiplies the logits of tokens seen, f32; 1 is off. */
  REPETITION(Float.BYTES, PaddingRule.KEEP),
  /** For each logits row what is taken from the logits of tokens generated, f32; 0 is off. */
  PRESENCE(Float.BYTES, PaddingRule.KEEP),
  /** For each logits row what is taken for each time a token was generated, f32; 0 is off. */
  FREQUENCY(Float.BYTES, PaddingRule.KEEP);

  /** The value of {@link PaddingRule#SENTINEL}. */
  public static final int PADDING = -1;

  private final int elementBytes;
  private final PaddingRule padding;
  private final boolean advanced;

  RowInput(int elementBytes, PaddingRule padding) {
    this(elementBytes, padding, false);
  }

  RowInput(int elementBytes, PaddingRule padding, boolean advanced) {
    this.elementBytes = elementBytes;
    this.padding = padding;
    this.advanced = advanced;
  }

  /** Whether the device changes it from step to step, so that the host does not know its value. */
  public boolean advanced() {
    return advanced;
  }

  /** Bytes of one row's value. */
  public int elementBytes() {
    return elementBytes;
  }

  /** What padding rows hold. */
  public PaddingRule padding() {
    return padding;
  }
}
