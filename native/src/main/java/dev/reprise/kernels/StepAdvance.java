package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.I32;
import static dev.reprise.kernels.contract.ElementType.U32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import java.util.List;

/** Feeds sampled tokens back as the inputs of the next step, on the device. */
public final class StepAdvance {

  private static final String NAME = "step_advance";

  static final List<KernelContract> CONTRACTS =
      List.of(
          KernelContract.of(NAME, "step")
              .summary(
                  "tokens[r] = sampled[i], positions[r] += 1 for r = rowIndex[i];"
                      + " generated[step % ring][i] = sampled[i]; step += 1")
              .reads("sampled", I32, "sampled tokens, negative for none", "logitsRows")
              .reads("rowIndex", I32, "row of each, distinct, negative for padding", "logitsRows")
              .updates("tokens", I32, "token of each row", "rows")
              .updates("positions", I32, "position of each row, negative for padding", "rows")
              .updates("generated", I32, "ring of tokens, -1 for none", "ring", "logitsRows")
              .updates("step", U32, "steps taken, wraps at 2^32")
              .status(StatusBit.ROW_NOT_ADVANCED, StatusBit.ROW_OUT_OF_RANGE)
              .integer("logitsRows", 1, Limits.ROWS, "rows of logits")
              .integer("rows", 1, Limits.ROWS, "rows of the bucket")
              .integer("ring", 1, 1 << 24, "steps that the ring holds")
              .padding("left as it is; -1 in the ring")
              .arithmetic("integers")
              .geometry(
                  "one block, at most 256 threads, because step has one writer",
                  b ->
                      LaunchConfig.of(1, Math.clamp((b.get("logitsRows") + 31) / 32 * 32, 32, 256)))
              .build());

  private final Kernels kernels;

  StepAdvance(Kernels kernels) {
    this.kernels = kernels;
  }

  /**
   * For each logits row of a live row: its token and position become those of the next step. A live
   * row whose token is negative stays as it is and sets {@link StatusBit#ROW_NOT_ADVANCED}.
   *
   * @param sampled int32 {@code [logitsRows]}
   * @param rowIndex int32 {@code [logitsRows]}, distinct where not negative
   * @param tokens int32 {@code [rows]}, changed
   * @param positions int32 {@code [rows]}, changed
   * @param generated int32 {@code [ring][logitsRows]}: slot {@code step % ring} is written
   * @param step uint32, changed
   * @param status the status word
   */
  public PreparedLaunch advance(
      Span sampled,
      Span rowIndex,
      Span tokens,
      Span positions,
      Span generated,
      Span step,
      Span status,
      int logitsRows,
      int rows,
      int ring) {
    return kernels
        .invoke(NAME)
        .set("logitsRows", logitsRows)
        .set("rows", rows)
        .set("ring", ring)
        .span("sampled", sampled)
        .span("rowIndex", rowIndex)
        .span("tokens", tokens)
        .span("positions", positions)
        .span("generated", generated)
        .span("step", step)
        .span("status", status)
        .prepare();
  }
}
