package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;
import static dev.reprise.kernels.contract.ElementType.U32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import java.util.List;

/**
 * Penalties on tokens that a sequence has already seen, and the record of what it has seen.
 *
 * <p>A sequence's history is one row of {@code [slots][vocab]} words: bit 31 says that a token is
 * in the prompt, the other bits how often it was generated. Zero the row when a sequence takes the
 * slot.
 */
public final class Penalties {

  private static final String PENALIZE = "penalize_rows";
  private static final String MARK = "history_mark";
  private static final String COUNT = "history_count";
  private static final String MODULE = "penalty";
  private static final int THREADS = 128;

  /** History slots: their number times the vocabulary is addressed in 64 bits. */
  private static final int SLOTS = 1 << 20;

  static final List<KernelContract> CONTRACTS =
      List.of(penalizeContract(), markContract(), countContract());

  private final Kernels kernels;

  Penalties(Kernels kernels) {
    this.kernels = kernels;
  }

  private static KernelContract penalizeContract() {
    return KernelContract.of(PENALIZE, MODULE)
        .extent("logitsRows", 1, Limits.ROWS, "rows of logits")
        .summary(
            "for each token seen: logit / repetition above 0, else logit * repetition; then, when it"
                + " was generated n times, minus (presence + frequency * n)")
        .arithmetic("each operation rounded to f32 by itself; nothing is written when all are off")
        .padding("not touched where the row index, the position or the slot is negative")
        .updates("logits", F32, "logits", "logitsRows", "vocab")
        .reads("history", U32, "what each slot's sequence has seen", "slotCount", "vocab")
        .reads("repetition", F32, "off at 1", "logitsRows")
        .reads("presence", F32, "off at 0", "logitsRows")
        .reads("frequency", F32, "off at 0", "logitsRows")
        .reads("slots", I32, "history slot of each row, negative for none", "rows")
        .reads("rowIndex", I32, "row of each logits row, negative for padding", "logitsRows")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .status(StatusBit.ROW_OUT_OF_RANGE, StatusBit.SLOT_OUT_OF_RANGE)
        .integer("vocab", 1, Limits.VOCABULARY, "tokens")
        .integer("rows", 1, Limits.ROWS, "rows of the bucket")
        .integer("slotCount", 1, SLOTS, "history slots")
        .geometry(
            "128 tokens a block, a block row for each logits row",
            b ->
                LaunchConfig.of(1, THREADS)
                    .withGrid(Limits.divideUp(b.get("vocab"), THREADS), b.getInt("logitsRows"), 1))
        .build();
  }

  private static ContractBuilder recording(String name) {
    return KernelContract.of(name, MODULE)
        .arithmetic("atomic integer operations: their order changes nothing")
        .padding("not recorded where the row index, the position or the slot is negative");
  }

  private static KernelContract markContract() {
    return recording(MARK)
        .summary("history[slots[row]][tokens[row]] |= 2^31; several rows may share a slot")
        .reads("tokens", I32, "tokens; one beyond the vocabulary is not recorded", "rows")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .reads("slots", I32, "history slot of each row, negative for none", "rows")
        .updates("history", U32, "what each slot's sequence has seen", "slotCount", "vocab")
        .status(StatusBit.SLOT_OUT_OF_RANGE)
        .integer("rows", 1, Limits.ROWS, "rows of the bucket")
        .integer("vocab", 1, Limits.VOCABULARY, "tokens")
        .integer("slotCount", 1, SLOTS, "history slots")
        .geometry(
            "a thread a row",
            b -> LaunchConfig.of(Limits.divideUp(b.get("rows"), THREADS), THREADS))
        .build();
  }

  private static KernelContract countContract() {
    return recording(COUNT)
        .summary("history[slots[row]][sampled[i]] += 1 for row = rowIndex[i]")
        .reads("sampled", I32, "sampled tokens, negative for none", "logitsRows")
        .reads("rowIndex", I32, "row of each, negative for padding", "logitsRows")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .reads("slots", I32, "history slot of each row, negative for none", "rows")
        .updates("history", U32, "what each slot's sequence has seen", "slotCount", "vocab")
        .status(StatusBit.ROW_OUT_OF_RANGE, StatusBit.SLOT_OUT_OF_RANGE)
        .integer("logitsRows", 1, Limits.ROWS, "rows of logits")
        .integer("rows", 1, Limits.ROWS, "rows of the bucket")
        .integer("vocab", 1, Limits.VOCABULARY, "tokens")
        .integer("slotCount", 1, SLOTS, "history slots")
        .geometry(
            "a thread a logits row",
            b -> LaunchConfig.of(Limits.divideUp(b.get("logitsRows"), THREADS), THREADS))
        .build();
  }

  /**
   * Lowers the logits of tokens that were seen, in place, before sampling.
   *
   * @param logits f32 {@code [logitsRows][vocab]}, changed
   * @param inputs the penalties
   * @param history uint32 {@code [slotCount][vocab]}
   * @param slots int32 {@code [rows]}: the history of each row, negative for none
   * @param rowIndex int32 {@code [logitsRows]}, negative for padding
   * @param positions int32 {@code [rows]}, negative for padding
   * @param status the status word
   */
  public PreparedLaunch penalize(
      Span logits,
      PenaltyInputs inputs,
      Span history,
      Span slots,
      Span rowIndex,
      Span positions,
      Span status,
      int logitsRows,
      int rows,
      int vocab,
      int slotCount) {
    return recorded(PENALIZE, history, slots, positions, status, rows, vocab, slotCount)
        .set("logitsRows", logitsRows)
        .span("logits", logits)
        .span("repetition", inputs.repetition())
        .span("presence", inputs.presence())
        .span("frequency", inputs.frequency())
        .span("rowIndex", rowIndex)
        .prepare();
  }

  /**
   * Records the tokens of a prefill step as part of their sequences' prompts.
   *
   * @param tokens int32 {@code [rows]}
   * @param positions int32 {@code [rows]}, negative for padding
   * @param slots int32 {@code [rows]}: the history of each row, negative for none
   * @param history uint32 {@code [slotCount][vocab]}, changed
   * @param status the status word
   */
  public PreparedLaunch mark(
      Span tokens,
      Span positions,
      Span slots,
      Span history,
      Span status,
      int rows,
      int vocab,
      int slotCount) {
    return recorded(MARK, history, slots, positions, status, rows, vocab, slotCount)
        .span("tokens", tokens)
        .prepare();
  }

  /**
   * Records the tokens that were sampled.
   *
   * @param sampled int32 {@code [logitsRows]}
   * @param rowIndex int32 {@code [logitsRows]}, negative for padding
   * @param positions int32 {@code [rows]}, negative for padding
   * @param slots int32 {@code [rows]}: the history of each row, negative for none
   * @param history uint32 {@code [slotCount][vocab]}, changed
   * @param status the status word
   */
  public PreparedLaunch count(
      Span sampled,
      Span rowIndex,
      Span positions,
      Span slots,
      Span history,
      Span status,
      int logitsRows,
      int rows,
      int vocab,
      int slotCount) {
    return recorded(COUNT, history, slots, positions, status, rows, vocab, slotCount)
        .set("logitsRows", logitsRows)
        .span("sampled", sampled)
        .span("rowIndex", rowIndex)
        .prepare();
  }

  private Invocation recorded(
      String kernel,
      Span history,
      Span slots,
      Span positions,
      Span status,
      int rows,
      int vocab,
      int slotCount) {
    return kernels
        .invoke(kernel)
        .set("rows", rows)
        .set("vocab", vocab)
        .set("slotCount", slotCount)
        .span("history", history)
        .span("slots", slots)
        .span("positions", positions)
        .span("status", status);
  }
}
