package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.KernelContract;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Products with weight matrices: {@code y[row][o] = Σ W[o][i] · x[row][i]}.
 *
 * <p>Three kernels a weight type: <i>wide</i> (16 outputs a warp), <i>narrow</i> (4 outputs a warp,
 * for few outputs on many multiprocessors) and <i>any</i> (row lengths that leave rows of W
 * unaligned). Wide and narrow give the same bits, and which of them or <i>any</i> runs never
 * depends on the bits of a row: the choice between aligned and not follows from {@code in}.
 */
public final class MatMul {

  private static final int WARPS = 4;
  private static final int ROW_TILE = 4;
  private static final int WIDE = 16;
  private static final int NARROW = 4;

  static final List<KernelContract> CONTRACTS =
      Arrays.stream(WeightType.values())
          .flatMap(type ->
              Stream.of(tiled(type, "wide", WIDE), tiled(type, "narrow", NARROW), unaligned(type)))
          .toList();

  private final Kernels kernels;
  private final int multiprocessors;

  MatMul(Kernels kernels, int multiprocessors) {
    this.kernels = kernels;
    this.multiprocessors = multiprocessors;
  }

  private static String name(WeightType type, String form) {
    return "matmul_%s_%s".formatted(type.suffix(), form);
  }

  /** Weights in a vector of 16 bytes; also what {@code in} must be a multiple of. */
  private static int vector(WeightType type) {
    return 16 / type.bytes();
  }

  private static ContractBuilder arrays(WeightType type, String form) {
    return KernelContract.of(name(type, form), "matmul")
        .summary("y[row][o] = sum over i of W[o][i] * x[row][i]")
        .reads("w", type.element(), "weights", "out", "in")
        .reads("x", F32, "activations", "rows", "in")
        .writes("y", F32, "products", "rows", "out")
        .padding("as any row; nothing but the row itself is touched");
  }

  private static KernelContract tiled(WeightType type, String form, int outputsPerWarp) {
    int vector = vector(type);
    return arrays(type, form)
        .integer("rows", 1, (long) Limits.ROWS * ROW_TILE, "rows of the bucket")
        .integer("in", vector, Limits.WIDTH, "length of a dot product")
        .integer("out", outputsPerWarp == WIDE ? WIDE : 1, Integer.MAX_VALUE - 64, "outputs a row")
        .require(
            "in is a multiple of %d, so that rows of W start on 16 bytes".formatted(vector),
            b -> b.get("in") % vector == 0)
        .arithmetic(
            ("f32 accumulator; lane c of eight takes vectors c, c+8, c+16, … of %d elements with"
                    + " one fused multiply-add an element, then lanes are paired by distance 4, 2, 1:"
                    + " fixed by in alone; wide and narrow give the same bits")
                .formatted(vector))
        .geometry(
            "%d outputs a warp, 4 warps a block, a block row for 4 rows".formatted(outputsPerWarp),
            b ->
                LaunchConfig.of(
                        Limits.divideUp(b.get("out"), (long) outputsPerWarp * WARPS), WARPS * 32)
                    .withGrid(
                        Limits.divideUp(b.get("out"), (long) outputsPerWarp * WARPS),
                        Limits.divideUp(b.get("rows"), ROW_TILE),
                        1))
        .build();
  }

  private static KernelContract unaligned(WeightType type) {
    return arrays(type, "any")
        .extent("rows", 1, Limits.ROWS, "rows of the bucket")
        .integer("in", 1, Limits.WIDTH, "length of a dot product")
        .integer("out", 1, Integer.MAX_VALUE - 64, "outputs a row")
        .arithmetic(
            "f32 accumulator; lane c of eight takes elements c, c+8, … by fused multiply-adds, then"
                + " lanes are paired by distance 4, 2, 1: fixed by in alone")
        .geometry(
            "4 outputs a warp, 4 warps a block, a block row for each row",
            b ->
                LaunchConfig.of(1, WARPS * 32)
                    .withGrid(Limits.divideUp(b.get("out"), NARROW * WARPS), b.getInt("rows"), 1))
        .build();
  }

  /**
   * {@code y[row][o] = Σ W[o][i] · x[row][i]}.
   *
   * @param type type of the weights
   * @param w {@code [out][in]}
   * @param x f32 {@code [rows][in]}
   * @param y f32 {@code [rows][out]}
   */
  public PreparedLaunch multiply(
      WeightType type, Span w, Span x, Span y, int rows, int in, int out) {
    return kernels
        .invoke(name(type, form(type, rows, in, out)))
        .set("rows", rows)
        .set("in", in)
        .set("out", out)
        .span("w", w)
        .span("x", x)
        .span("y", y)
        .prepare();
  }

  private String form(WeightType type, int rows, int in, int out) {
    if (in % vector(type) != 0) {
      return "any";
    }
    long warps = (long) Limits.divideUp(out, WIDE) * Limits.divideUp(rows, ROW_TILE);
    return out >= WIDE && warps >= 4L * multiprocessors ? "wide" : "narrow";
  }
}
