package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.Symbol;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * SwiGLU: {@code out[row][i] = silu(gateUp[row][i]) · gateUp[row][ff + i]}.
 *
 * <p>Two kernels, which give the same bits: one moves four elements at a time, <i>any</i> one.
 */
public final class Activation {

  private static final int VECTOR = 4;
  private static final int MOST_WARPS = 8;
  private static final int PER_THREAD = 4;

  static final List<KernelContract> CONTRACTS = List.of(contract(VECTOR), contract(1));

  private final Kernels kernels;

  Activation(Kernels kernels) {
    this.kernels = kernels;
  }

  private static String name(int vector) {
    return vector == VECTOR ? "swiglu" : "swiglu_any";
  }

  private static KernelContract contract(int vector) {
    return KernelContract.of(name(vector), "activation")
        .summary("out[row][i] = silu(gateUp[row][i]) * gateUp[row][ff + i]")
        .extent("rows", 1, Limits.ROWS, "rows of the bucket")
        .extent("warps", 1, MOST_WARPS, Symbol.Form.POWER_OF_TWO, "warps of a block")
        .derived("gateUpWidth", "2 * ff", b -> 2 * b.get("ff"))
        .reads("gateUp", F32, "gate, then up, of each row", "rows", "gateUpWidth")
        .writes("out", F32, "gated activations", "rows", "ff")
        .integer("ff", 1, Limits.WIDTH, "width of the feed-forward layer")
        .require("ff is a multiple of " + vector, b -> b.get("ff") % vector == 0)
        .padding("as any row; nothing but the row itself is touched")
        .arithmetic("f32, element by element; the exponential is good to about 2 ulp")
        .geometry(
            "a thread four elements, a block row for each row",
            b -> {
              int threads = b.getInt("warps") * 32;
              return LaunchConfig.of(1, threads)
                  .withGrid(
                      Limits.divideUp(b.get("ff"), (long) PER_THREAD * threads),
                      b.getInt("rows"),
                      1);
            })
        .build();
  }

  /**
   * {@code out[row][i] = silu(gateUp[row][i]) · gateUp[row][ff + i]}, by the variant that the
   * kernels have for the shape.
   *
   * @param gateUp f32 {@code [rows][2 · ff]}
   * @param out f32 {@code [rows][ff]}
   */
  public PreparedLaunch swiglu(Span gateUp, Span out, int rows, int ff) {
    TunableShape.Gate shape = new TunableShape.Gate(rows, ff);
    return swiglu(
        kernels.choose(shape, KernelVariant.Gate.class, () -> standard(shape)),
        gateUp,
        out,
        rows,
        ff);
  }

  /** The same by a variant. */
  public PreparedLaunch swiglu(
      KernelVariant.Gate variant, Span gateUp, Span out, int rows, int ff) {
    return kernels
        .invoke(name(variant.vector()))
        .set("rows", rows)
        .set("ff", ff)
        .set("warps", variant.warps())
        .span("gateUp", gateUp)
        .span("out", out)
        .prepare();
  }

  /** The variant of a shape for which none was chosen. */
  public KernelVariant.Gate standard(TunableShape.Gate shape) {
    int warps = Limits.threads(shape.ff(), 128) / 32;
    return new KernelVariant.Gate(
        shape.ff() % VECTOR == 0 ? VECTOR : 1, Integer.highestOneBit(warps));
  }

  /** The variants that are worth trying for a shape; the standard one first. */
  public List<KernelVariant.Gate> variants(TunableShape.Gate shape) {
    Set<KernelVariant.Gate> variants = new LinkedHashSet<>();
    variants.add(standard(shape));
    for (int warps : new int[] {1, 2, 4, MOST_WARPS}) {
      if (shape.ff() % VECTOR == 0) {
        variants.add(new KernelVariant.Gate(VECTOR, warps));
      }
      variants.add(new KernelVariant.Gate(1, warps));
    }
    return List.copyOf(variants);
  }
}
