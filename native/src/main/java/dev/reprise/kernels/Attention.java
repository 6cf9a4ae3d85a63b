package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.contract.Symbol.Form;
import java.util.List;
import java.util.stream.IntStream;

/** Grouped-query attention of each row over its sequence in the paged KV pool. */
public final class Attention {

  private static final int WARPS = 4;

  static final List<KernelContract> CONTRACTS =
      IntStream.of(32, 64, 128).mapToObj(Attention::contract).toList();

  private final Kernels kernels;

  Attention(Kernels kernels) {
    this.kernels = kernels;
  }

  private static String name(int headDim) {
    return "paged_attention_" + headDim;
  }

  private static KernelContract contract(int headDim) {
    return KernelContract.of(name(headDim), "attention")
        .summary("out[row] = softmax(scale * q[row] K^T) V over positions 0..positions[row]")
        .extent("rows", 1, Limits.ROWS, "rows of the bucket")
        .derived("headDim", Integer.toString(headDim), b -> headDim)
        .reads("q", F32, "rotated queries", "rows", "heads", "headDim")
        .reads("keys", F32, "pool", "blocks", "kvHeads", "blockSize", "headDim")
        .reads("values", F32, "pool", "blocks", "kvHeads", "blockSize", "headDim")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .reads("sequences", I32, "block table of each row", "rows")
        .reads("blockTables", I32, "KV block ids", "tables", "maxBlocks")
        .writes("out", F32, "attended values", "rows", "heads", "headDim")
        .status(
            StatusBit.POSITION_BEYOND_TABLE,
            StatusBit.BLOCK_OUT_OF_POOL,
            StatusBit.SEQUENCE_OUT_OF_RANGE)
        .integer("heads", 1, 1024, "query heads")
        .integer("kvHeads", 1, 1024, "key/value heads")
        .integer("blockSize", 16, 1024, Form.POWER_OF_TWO, "positions a KV block")
        .integer("tables", 1, Limits.ROWS, "block tables")
        .integer("maxBlocks", 1, 1 << 24, "entries of a block table")
        .integer("blocks", 2, Integer.MAX_VALUE, "KV blocks, the null block included")
        .real("scale", Float.MIN_NORMAL, 1, "factor of the scores, 1/sqrt(headDim) as a rule")
        .require("heads is a multiple of kvHeads", b -> b.get("heads") % b.get("kvHeads") == 0)
        .require(
            "the pool has fewer than 2^31 slots (blocks * kvHeads * blockSize)",
            b -> b.get("blocks") * b.get("kvHeads") * b.get("blockSize") <= Integer.MAX_VALUE)
        .padding(
            "zeros; slots after a row's position and table entries after its block are not read")
        .arithmetic(
            "f32 online softmax over tiles of 32 positions; tile t belongs to warp t % 4 and the"
                + " warps are combined in their order: fixed by positions alone, not by rows, grid"
                + " or maxBlocks; 2^x has a relative error of 2^-22, weights under 2^-126 are 0")
        .geometry(
            "a block of 4 warps a query head and row",
            b -> LaunchConfig.of(1, WARPS * 32).withGrid(b.getInt("heads"), b.getInt("rows"), 1))
        .build();
  }

  /**
   * Attention over positions 0 to {@code positions[row]} of each row's sequence, whose own key and
   * value must have been written.
   *
   * @param q f32 {@code [rows][heads · headDim]}, rotated
   * @param pool the KV pool of the layer
   * @param positions int32 {@code [rows]}, negative for padding
   * @param sequences int32 {@code [rows]}
   * @param tables the block tables
   * @param out f32 {@code [rows][heads · headDim]}
   * @param status the status word
   * @param scale factor of the scores
   * @throws IllegalArgumentException when the head width is none of 32, 64 and 128
   */
  public PreparedLaunch paged(
      Span q,
      KvLayer pool,
      Span positions,
      Span sequences,
      BlockTables tables,
      Span out,
      Span status,
      int rows,
      int heads,
      float scale) {
    int headDim = pool.headDim();
    if (headDim != 32 && headDim != 64 && headDim != 128) {
      throw new IllegalArgumentException(
          "Kernel paged_attention: headDim must be 32, 64 or 128 and is %d.".formatted(headDim));
    }
    return kernels
        .invoke(name(headDim))
        .set("rows", rows)
        .set("heads", heads)
        .set("kvHeads", pool.kvHeads())
        .set("blockSize", pool.blockSize())
        .set("tables", tables.tables())
        .set("maxBlocks", tables.maxBlocks())
        .set("blocks", pool.blocks())
        .real("scale", scale)
        .span("q", q)
        .span("keys", pool.keys())
        .span("values", pool.values())
        .span("positions", positions)
        .span("sequences", sequences)
        .span("blockTables", tables.entries())
        .span("out", out)
        .span("status", status)
        .prepare();
  }
}
