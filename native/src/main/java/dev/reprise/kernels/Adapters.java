package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Low-rank adapters (LoRA; Hu et al., 2021) on top of a product: {@code y[row] += scale[s] · B[s]
 * (A[s] · x[row])} with {@code s = adapters[row]}. Two launches, <i>shrink</i> to the rank and
 * <i>expand</i> from it; rows without an adapter are left as they are.
 */
public final class Adapters {

  private static final String MODULE = "lora";
  private static final int WARPS = 4;
  private static final int THREADS = 128;
  private static final int SLOTS = 65_535;

  /** The largest rank. */
  private static final int RANK = 512;

  static final List<KernelContract> CONTRACTS =
      Arrays.stream(WeightType.values())
          .flatMap(type -> Stream.of(shrinkContract(type), expandContract(type)))
          .toList();

  private final Kernels kernels;

  Adapters(Kernels kernels) {
    this.kernels = kernels;
  }

  private static String name(String form, WeightType type) {
    return "lora_%s_%s".formatted(form, type.suffix());
  }

  private static ContractBuilder begin(String form, WeightType type) {
    return KernelContract.of(name(form, type), MODULE)
        .extent("rows", 1, Limits.ROWS, "rows of the bucket")
        .padding("not touched where the position or the adapter is negative");
  }

  private static KernelContract shrinkContract(WeightType type) {
    return begin("shrink", type)
        .summary("low[row][r] = sum over i of A[s][r][i] * x[row][i], s = adapters[row]")
        .arithmetic(
            "f32 accumulator; lane c of a warp takes elements c, c+32, … by fused multiply-adds,"
                + " then a butterfly of distance 16, 8, 4, 2, 1: fixed by in alone")
        .reads("a", type.element(), "A of each slot", "slots", "maxRank", "in")
        .reads("x", F32, "activations", "rows", "in")
        .reads("adapters", I32, "slot of each row, negative for none", "rows")
        .reads("ranks", I32, "rank of each slot's adapter", "slots")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .updates("low", F32, "products, up to the rank of the row's adapter", "rows", "maxRank")
        .status(StatusBit.SLOT_OUT_OF_RANGE)
        .integer("in", 1, Limits.WIDTH, "length of a dot product")
        .integer("maxRank", 1, RANK, "largest rank")
        .integer("slots", 1, SLOTS, "adapter slots")
        .geometry(
            "a warp for each of the ranks, 4 warps a block, a block row for each row",
            b ->
                LaunchConfig.of(1, WARPS * 32)
                    .withGrid(Limits.divideUp(b.get("maxRank"), WARPS), b.getInt("rows"), 1))
        .build();
  }

  private static KernelContract expandContract(WeightType type) {
    return begin("expand", type)
        .summary("y[row][o] += scale[s] * sum over r of B[s][r][o] * low[row][r]")
        .arithmetic("f32 accumulator; ranks ascending, one fused multiply-add each; one more for y")
        .reads("b", type.element(), "B of each slot", "slots", "maxRank", "out")
        .reads("low", F32, "products of shrink", "rows", "maxRank")
        .reads("adapters", I32, "slot of each row, negative for none", "rows")
        .reads("ranks", I32, "rank of each slot's adapter", "slots")
        .reads("scales", F32, "scale of each slot's adapter", "slots")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .updates("y", F32, "products of the base weights", "rows", "out")
        .status(StatusBit.SLOT_OUT_OF_RANGE)
        .integer("out", 1, Integer.MAX_VALUE - THREADS, "outputs a row")
        .integer("maxRank", 1, RANK, "largest rank")
        .integer("slots", 1, SLOTS, "adapter slots")
        .geometry(
            "a thread for each output, 128 a block, a block row for each row",
            b ->
                LaunchConfig.of(1, THREADS)
                    .withGrid(Limits.divideUp(b.get("out"), THREADS), b.getInt("rows"), 1))
        .build();
  }

  /**
   * The first half: down to the rank of each row's adapter.
   *
   * @param slots the adapters
   * @param x f32 {@code [rows][in]}
   * @param adapters int32 {@code [rows]}: slot of each row, negative for none
   * @param positions int32 {@code [rows]}, negative for padding
   * @param low f32 {@code [rows][maxRank]}, written up to each row's rank
   * @param status the status word
   */
  public PreparedLaunch shrink(
      AdapterSlots slots,
      Span x,
      Span adapters,
      Span positions,
      Span low,
      Span status,
      int rows,
      int in) {
    return common("shrink", slots, adapters, positions, low, status, rows)
        .set("in", in)
        .span("a", slots.a())
        .span("x", x)
        .prepare();
  }

  /**
   * The second half: up to the outputs, added to what the base weights gave.
   *
   * @param slots the adapters
   * @param low f32 {@code [rows][maxRank]} of {@link #shrink}
   * @param adapters int32 {@code [rows]}: slot of each row, negative for none
   * @param positions int32 {@code [rows]}, negative for padding
   * @param y f32 {@code [rows][out]}, changed
   * @param status the status word
   */
  public PreparedLaunch expand(
      AdapterSlots slots,
      Span low,
      Span adapters,
      Span positions,
      Span y,
      Span status,
      int rows,
      int out) {
    return common("expand", slots, adapters, positions, low, status, rows)
        .set("out", out)
        .span("b", slots.b())
        .span("scales", slots.scales())
        .span("y", y)
        .prepare();
  }

  private Invocation common(
      String form,
      AdapterSlots slots,
      Span adapters,
      Span positions,
      Span low,
      Span status,
      int rows) {
    return kernels
        .invoke(name(form, slots.type()))
        .set("rows", rows)
        .set("maxRank", slots.maxRank())
        .set("slots", slots.slots())
        .span("adapters", adapters)
        .span("ranks", slots.ranks())
        .span("positions", positions)
        .span("low", low)
        .span("status", status);
  }
}
