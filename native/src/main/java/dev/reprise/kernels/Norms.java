package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import java.util.List;

/** RMSNorm: {@code out = x / sqrt(mean(x²) + eps) · w}, plain and fused with the residual sum. */
public final class Norms {

  private static final String RMS = "rms_norm";
  private static final String RESIDUAL = "rms_norm_residual";
  private static final String GATHER = "rms_norm_residual_gather";

  static final List<KernelContract> CONTRACTS =
      List.of(
          common(
                  RMS,
                  "out[row] = norm(x[row]) * w",
                  "as any row; nothing but the row itself is touched",
                  "rows")
              .extent("rows", 1, Limits.ROWS, "rows of the bucket")
              .reads("x", F32, "activations", "rows", "n")
              .reads("w", F32, "weights of the norm", "n")
              .writes("out", F32, "normed activations", "rows", "n")
              .integer("n", 1, Limits.WIDTH, "width of a row")
              .real("eps", 0, 1, "added to the mean square")
              .build(),
          common(
                  RESIDUAL,
                  "x[row] += delta[row], then out[row] = norm(x[row]) * w",
                  "as any row; nothing but the row itself is touched",
                  "rows")
              .extent("rows", 1, Limits.ROWS, "rows of the bucket")
              .updates("x", F32, "residual stream", "rows", "n")
              .reads("delta", F32, "what is added to it", "rows", "n")
              .reads("w", F32, "weights of the norm", "n")
              .writes("out", F32, "normed activations", "rows", "n")
              .integer("n", 1, Limits.WIDTH, "width of a row")
              .real("eps", 0, 1, "added to the mean square")
              .build(),
          common(
                  GATHER,
                  "out[i] = norm(x[r] + delta[r]) * w with r = rowIndex[i]; x is left as it is",
                  "a negative row index gives zeros; one beyond the rows gives NaN",
                  "logitsRows")
              .extent("logitsRows", 1, Limits.ROWS, "rows of the result")
              .reads("x", F32, "residual stream", "rows", "n")
              .reads("delta", F32, "what is added to it", "rows", "n")
              .reads("rowIndex", I32, "row of each result, negative for padding", "logitsRows")
              .reads("w", F32, "weights of the norm", "n")
              .writes("out", F32, "normed activations", "logitsRows", "n")
              .status(StatusBit.ROW_OUT_OF_RANGE)
              .integer("n", 1, Limits.WIDTH, "width of a row")
              .integer("rows", 1, Limits.ROWS, "rows of the bucket")
              .real("eps", 0, 1, "added to the mean square")
              .build());

  private final Kernels kernels;

  Norms(Kernels kernels) {
    this.kernels = kernels;
  }

  private static ContractBuilder common(
      String name, String summary, String padding, String blocks) {
    return KernelContract.of(name, "norm")
        .summary(summary)
        .padding(padding)
        .arithmetic(
            "f32 fused multiply-adds by thread in ascending order, then a butterfly over the warp,"
                + " then the warps in their order; IEEE division and square root")
        .geometry(
            "a block a row; threads follow from n alone, because they fix the order of the sum",
            b ->
                LaunchConfig.of(
                    b.getInt(blocks), b.get("n") <= 512 ? 32 : Limits.threads(b.getInt("n"), 256)));
  }

  /**
   * {@code out[row] = norm(x[row]) · w}.
   *
   * @param x f32 {@code [rows][n]}
   * @param w f32 {@code [n]}
   * @param out f32 {@code [rows][n]}
   */
  public PreparedLaunch rms(Span x, Span w, Span out, int rows, int n, float eps) {
    return kernels
        .invoke(RMS)
        .set("rows", rows)
        .set("n", n)
        .real("eps", eps)
        .span("x", x)
        .span("w", w)
        .span("out", out)
        .prepare();
  }

  /**
   * {@code x[row] += delta[row]} in place, then {@code out[row] = norm(x[row]) · w}.
   *
   * @param x f32 {@code [rows][n]}, changed
   * @param delta f32 {@code [rows][n]}
   * @param w f32 {@code [n]}
   * @param out f32 {@code [rows][n]}
   */
  public PreparedLaunch rmsResidual(
      Span x, Span delta, Span w, Span out, int rows, int n, float eps) {
    return kernels
        .invoke(RESIDUAL)
        .set("rows", rows)
        .set("n", n)
        .real("eps", eps)
        .span("x", x)
        .span("delta", delta)
        .span("w", w)
        .span("out", out)
        .prepare();
  }

  /**
   * {@code out[i] = norm(x[r] + delta[r]) · w} for {@code r = rowIndex[i]}: the final norm of the
   * rows whose logits are wanted. {@code x} is left as it is.
   *
   * @param x f32 {@code [rows][n]}
   * @param delta f32 {@code [rows][n]}
   * @param rowIndex int32 {@code [logitsRows]}, negative for padding
   * @param w f32 {@code [n]}
   * @param out f32 {@code [logitsRows][n]}
   * @param status the status word
   */
  public PreparedLaunch rmsResidualGather(
      Span x,
      Span delta,
      Span rowIndex,
      Span w,
      Span out,
      Span status,
      int logitsRows,
      int rows,
      int n,
      float eps) {
    return kernels
        .invoke(GATHER)
        .set("logitsRows", logitsRows)
        .set("rows", rows)
        .set("n", n)
        .real("eps", eps)
        .span("x", x)
        .span("delta", delta)
        .span("rowIndex", rowIndex)
        .span("w", w)
        .span("out", out)
        .span("status", status)
        .prepare();
  }
}
