package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.KernelContract;
import java.util.Arrays;
import java.util.List;

/** Token embedding: {@code out[row][:] = table[tokens[row]][:]}. */
public final class Embedding {

  static final List<KernelContract> CONTRACTS =
      Arrays.stream(WeightType.values()).map(Embedding::contract).toList();

  private final Kernels kernels;

  Embedding(Kernels kernels) {
    this.kernels = kernels;
  }

  private static String name(WeightType type) {
    return "embed_rows_" + type.suffix();
  }

  private static KernelContract contract(WeightType type) {
    return KernelContract.of(name(type), "embed")
        .summary("out[row][:] = table[tokens[row]][:]; a token outside [0, vocab) gives NaN")
        .extent("rows", 1, Limits.ROWS, "rows of the bucket")
        .reads("table", type.element(), "embedding of each token", "vocab", "dim")
        .reads("tokens", I32, "token of each row", "rows")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .writes("out", F32, "activations", "rows", "dim")
        .integer("dim", 1, Limits.WIDTH, "width of a row")
        .integer("vocab", 1, Integer.MAX_VALUE, "tokens in the table")
        .padding("zeros; the token is not looked at")
        .arithmetic("copy; f16 is widened exactly")
        .geometry(
            "a block a row, a thread four elements, at most 256 threads",
            b -> LaunchConfig.of(b.getInt("rows"), Limits.threads(b.getInt("dim"), 256)))
        .build();
  }

  /**
   * Looks up the embedding of each row's token.
   *
   * @param type type of the table
   * @param table {@code [vocab][dim]}
   * @param tokens int32 {@code [rows]}
   * @param positions int32 {@code [rows]}, negative for padding
   * @param out f32 {@code [rows][dim]}
   */
  public PreparedLaunch rows(
      WeightType type,
      Span table,
      Span tokens,
      Span positions,
      Span out,
      int rows,
      int dim,
      int vocab) {
    return kernels
        .invoke(name(type))
        .set("rows", rows)
        .set("dim", dim)
        .set("vocab", vocab)
        .span("table", table)
        .span("tokens", tokens)
        .span("positions", positions)
        .span("out", out)
        .prepare();
  }
}
