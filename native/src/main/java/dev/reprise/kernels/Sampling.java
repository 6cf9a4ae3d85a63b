package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;
import static dev.reprise.kernels.contract.ElementType.U64;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import java.util.List;

/**
 * Choice of the next token of each logits row: greedy, or sampled with a counter-based generator.
 */
public final class Sampling {

  private static final String ARGMAX = "argmax_rows";
  private static final String SAMPLE = "sample_rows";

  static final List<KernelContract> CONTRACTS = List.of(argmaxContract(), sampleContract());

  private final Kernels kernels;

  Sampling(Kernels kernels) {
    this.kernels = kernels;
  }

  private static ContractBuilder begin(String name) {
    return KernelContract.of(name, "sample")
        .extent("logitsRows", 1, Limits.ROWS, "rows of logits")
        .padding("token -1 where the row index or the position is negative; logits are not read")
        .geometry(
            "a block a row: 64 threads up to 512 tokens, 128 up to 2048, 256 up to 8192, else 1024;"
                + " at least two warps; no result depends on it",
            b -> LaunchConfig.of(b.getInt("logitsRows"), threads(b.get("vocab"))));
  }

  private static int threads(long vocab) {
    if (vocab <= 512) {
      return 64;
    }
    if (vocab <= 2048) {
      return 128;
    }
    return vocab <= 8192 ? 256 : 1024;
  }

  private static ContractBuilder end(ContractBuilder contract) {
    return contract
        .reads("rowIndex", I32, "row of each logits row, negative for padding", "logitsRows")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .writes("sampled", I32, "tokens", "logitsRows")
        .status(StatusBit.NOTHING_TO_SAMPLE, StatusBit.ROW_OUT_OF_RANGE)
        .integer("vocab", 1, Limits.VOCABULARY, "tokens")
        .integer("rows", 1, Limits.ROWS, "rows of the bucket");
  }

  private static KernelContract argmaxContract() {
    return end(begin(ARGMAX)
            .summary("sampled[i] = lowest index of the largest logit of row i, NaN excepted")
            .arithmetic("comparison of order-preserving integer keys; +0 and -0 are equal")
            .reads("logits", F32, "logits", "logitsRows", "vocab"))
        .build();
  }

  private static KernelContract sampleContract() {
    return end(begin(SAMPLE)
            .summary("sampled[i] = a draw after temperature, top-k, top-p and min-p, in that order")
            .arithmetic(
                "logits as order-preserving integer keys; exp((logit - largest) / temperature)"
                    + " as a 40-bit fixed-point mass made by IEEE operations alone; sums in 64"
                    + " bits, exact; ties by lowest index")
            .rng(
                "Philox4x32-10: key = seed, counter = positions[rowIndex[i]]; the first 64 bits,"
                    + " scaled to the kept mass, pick the token by prefix sum in index order")
            .reads("logits", F32, "logits", "logitsRows", "vocab")
            .reads("temperature", F32, "greedy when not above 0", "logitsRows")
            .reads("topK", I32, "off when not above 0", "logitsRows")
            .reads("topP", F32, "off when not below 1", "logitsRows")
            .reads("minP", F32, "off when not above 0", "logitsRows")
            .reads("seeds", U64, "seed of each row", "logitsRows"))
        .build();
  }

  /**
   * Greedy choice: the lowest index of the largest logit. NaN never wins; a row of NaN alone gives
   * -1 and sets {@link StatusBit#NOTHING_TO_SAMPLE}.
   *
   * @param logits f32 {@code [logitsRows][vocab]}
   * @param rowIndex int32 {@code [logitsRows]}, negative for padding
   * @param positions int32 {@code [rows]}, negative for padding
   * @param sampled int32 {@code [logitsRows]}
   * @param status the status word
   */
  public PreparedLaunch argmax(
      Span logits,
      Span rowIndex,
      Span positions,
      Span sampled,
      Span status,
      int logitsRows,
      int rows,
      int vocab) {
    return common(ARGMAX, logits, rowIndex, positions, sampled, status)
        .set("logitsRows", logitsRows)
        .set("rows", rows)
        .set("vocab", vocab)
        .prepare();
  }

  /**
   * Samples each row by its own parameters. The token depends on logits, parameters, seed and
   * position, and on nothing else.
   *
   * @param logits f32 {@code [logitsRows][vocab]}
   * @param inputs the parameters
   * @param rowIndex int32 {@code [logitsRows]}, negative for padding
   * @param positions int32 {@code [rows]}, negative for padding
   * @param sampled int32 {@code [logitsRows]}
   * @param status the status word
   */
  public PreparedLaunch sample(
      Span logits,
      SamplingInputs inputs,
      Span rowIndex,
      Span positions,
      Span sampled,
      Span status,
      int logitsRows,
      int rows,
      int vocab) {
    return common(SAMPLE, logits, rowIndex, positions, sampled, status)
        .set("logitsRows", logitsRows)
        .set("rows", rows)
        .set("vocab", vocab)
        .span("temperature", inputs.temperature())
        .span("topK", inputs.topK())
        .span("topP", inputs.topP())
        .span("minP", inputs.minP())
        .span("seeds", inputs.seeds())
        .prepare();
  }

  private Invocation common(
      String kernel, Span logits, Span rowIndex, Span positions, Span sampled, Span status) {
    return kernels
        .invoke(kernel)
        .span("logits", logits)
        .span("rowIndex", rowIndex)
        .span("positions", positions)
        .span("sampled", sampled)
        .span("status", status);
  }
}
