package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.KernelContract;
import java.util.List;

/** SwiGLU: {@code out[row][i] = silu(gateUp[row][i]) · gateUp[row][ff + i]}. */
public final class Activation {

  private static final String SWIGLU = "swiglu";

  static final List<KernelContract> CONTRACTS =
      List.of(
          KernelContract.of(SWIGLU, "activation")
              .summary("out[row][i] = silu(gateUp[row][i]) * gateUp[row][ff + i]")
              .extent("rows", 1, Limits.ROWS, "rows of the bucket")
              .derived("gateUpWidth", "2 * ff", b -> 2 * b.get("ff"))
              .reads("gateUp", F32, "gate, then up, of each row", "rows", "gateUpWidth")
              .writes("out", F32, "gated activations", "rows", "ff")
              .integer("ff", 1, Limits.WIDTH, "width of the feed-forward layer")
              .padding("as any row; nothing but the row itself is touched")
              .arithmetic("f32, element by element; the exponential is good to about 2 ulp")
              .geometry(
                  "a thread four elements, a block row for each row",
                  b -> {
                    int threads = Limits.threads(b.getInt("ff"), 128);
                    return LaunchConfig.of(1, threads)
                        .withGrid(Limits.divideUp(b.get("ff"), 4L * threads), b.getInt("rows"), 1);
                  })
              .build());

  private final Kernels kernels;

  Activation(Kernels kernels) {
    this.kernels = kernels;
  }

  /**
   * {@code out[row][i] = silu(gateUp[row][i]) · gateUp[row][ff + i]}.
   *
   * @param gateUp f32 {@code [rows][2 · ff]}
   * @param out f32 {@code [rows][ff]}
   */
  public PreparedLaunch swiglu(Span gateUp, Span out, int rows, int ff) {
    return kernels
        .invoke(SWIGLU)
        .set("rows", rows)
        .set("ff", ff)
        .span("gateUp", gateUp)
        .span("out", out)
        .prepare();
  }
}
