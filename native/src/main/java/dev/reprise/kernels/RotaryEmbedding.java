package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.contract.Symbol.Form;
import java.util.List;

/**
 * Rotary position embedding of q and k on interleaved pairs (2i, 2i+1), and the write of k and v to
 * the slots of their rows in the KV pool.
 */
public final class RotaryEmbedding {

  private static final String NAME = "rope_kv_write";

  static final List<KernelContract> CONTRACTS =
      List.of(
          KernelContract.of(NAME, "rope")
              .summary("qOut = rotated q; K slot = rotated k; V slot = v")
              .extent("rows", 1, Limits.ROWS, "rows of the bucket")
              .derived(
                  "qkvWidth",
                  "(heads + 2 * kvHeads) * headDim",
                  b -> (b.get("heads") + 2 * b.get("kvHeads")) * b.get("headDim"))
              .derived("qWidth", "heads * headDim", b -> b.get("heads") * b.get("headDim"))
              .reads("qkv", F32, "q, then k, then v of each row", "rows", "qkvWidth")
              .reads("cosSin", F32, "cosine and sine of each pair", "maxContext", "headDim")
              .reads("positions", I32, "position of each row, negative for padding", "rows")
              .reads("sequences", I32, "block table of each row", "rows")
              .reads("blockTables", I32, "KV block ids", "tables", "maxBlocks")
              .writes("qOut", F32, "rotated queries", "rows", "qWidth")
              .updates("keys", F32, "pool", "blocks", "kvHeads", "blockSize", "headDim")
              .updates("values", F32, "pool", "blocks", "kvHeads", "blockSize", "headDim")
              .status(
                  StatusBit.POSITION_BEYOND_ROTARY,
                  StatusBit.POSITION_BEYOND_TABLE,
                  StatusBit.BLOCK_OUT_OF_POOL,
                  StatusBit.SEQUENCE_OUT_OF_RANGE)
              .integer("heads", 1, 1024, "query heads")
              .integer("kvHeads", 1, 1024, "key/value heads")
              .integer("headDim", 32, 128, Form.POWER_OF_TWO, "width of a head")
              .integer("maxContext", 1, 1 << 24, "positions of the rotary table")
              .integer("blockSize", 16, 1024, Form.POWER_OF_TWO, "positions a KV block")
              .integer("tables", 1, Limits.ROWS, "block tables")
              .integer("maxBlocks", 1, 1 << 24, "entries of a block table")
              .integer("blocks", 2, Integer.MAX_VALUE, "KV blocks, the null block included")
              .padding("zeros in qOut; no KV is touched; sequence and block table are not used")
              .arithmetic("f32: x·cos - y·sin and x·sin + y·cos, one fused multiply-add each")
              .geometry(
                  "a block a row, a thread four elements, at most 256 threads",
                  b -> LaunchConfig.of(b.getInt("rows"), Limits.threads(b.getInt("qkvWidth"), 256)))
              .build());

  private final Kernels kernels;

  RotaryEmbedding(Kernels kernels) {
    this.kernels = kernels;
  }

  /**
   * Rotates q and k and writes k and v to the KV pool. No two live rows may have the same sequence
   * and position.
   *
   * @param qkv f32 {@code [rows][(heads + 2 · kvHeads) · headDim]}
   * @param cosSin f32 {@code [maxContext][headDim / 2][2]}, see {@link RotaryTable}
   * @param positions int32 {@code [rows]}, negative for padding
   * @param sequences int32 {@code [rows]}
   * @param tables the block tables
   * @param qOut f32 {@code [rows][heads · headDim]}
   * @param pool the KV pool of the layer, changed
   * @param status the status word
   */
  public PreparedLaunch writeKv(
      Span qkv,
      Span cosSin,
      Span positions,
      Span sequences,
      BlockTables tables,
      Span qOut,
      KvLayer pool,
      Span status,
      int rows,
      int heads,
      int maxContext) {
    return kernels
        .invoke(NAME)
        .set("rows", rows)
        .set("heads", heads)
        .set("kvHeads", pool.kvHeads())
        .set("headDim", pool.headDim())
        .set("maxContext", maxContext)
        .set("blockSize", pool.blockSize())
        .set("tables", tables.tables())
        .set("maxBlocks", tables.maxBlocks())
        .set("blocks", pool.blocks())
        .span("qkv", qkv)
        .span("cosSin", cosSin)
        .span("positions", positions)
        .span("sequences", sequences)
        .span("blockTables", tables.entries())
        .span("qOut", qOut)
        .span("keys", pool.keys())
        .span("values", pool.values())
        .span("status", status)
        .prepare();
  }
}
