package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.contract.Symbol.Form;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Grouped-query attention of each row over its sequence in the paged KV pool.
 *
 * <p>A sequence is cut into segments of {@value #SEGMENT} positions, whose sums are merged in their
 * order. One block a head and row does them all, or, split, several blocks share them and a second
 * launch merges: for few rows of long sequences on many multiprocessors. The bits are the same.
 */
public final class Attention {

  /** Positions of a segment. */
  public static final int SEGMENT = 256;

  private static final int WARPS = 4;

  /** Blocks a multiprocessor that splitting aims at. */
  private static final int BLOCKS_WANTED = 2;

  private static final int MOST_SPLITS = 65_535;

  static final List<KernelContract> CONTRACTS =
      IntStream.of(32, 64, 128)
          .boxed()
          .flatMap(d -> Stream.of(contract(d, false), contract(d, true), combining(d)))
          .toList();

  private final Kernels kernels;
  private final int multiprocessors;

  Attention(Kernels kernels, int multiprocessors) {
    this.kernels = kernels;
    this.multiprocessors = multiprocessors;
  }

  private static String name(String part, int headDim) {
    return "paged_attention_" + part + headDim;
  }

  private static KernelContract contract(int headDim, boolean split) {
    ContractBuilder contract =
        KernelContract.of(name(split ? "split_" : "", headDim), "attention")
            .summary(
                split
                    ? "the sums of each segment of paged_attention_" + headDim
                    : "out[row] = softmax(scale * q[row] K^T) V over positions 0..positions[row]")
            .extent("rows", 1, Limits.ROWS, "rows of the bucket")
            .derived("headDim", Integer.toString(headDim), b -> headDim)
            .reads("q", F32, "rotated queries", "rows", "heads", "headDim")
            .reads("keys", F32, "pool", "blocks", "kvHeads", "blockSize", "headDim")
            .reads("values", F32, "pool", "blocks", "kvHeads", "blockSize", "headDim")
            .reads("positions", I32, "position of each row, negative for padding", "rows")
            .reads("sequences", I32, "block table of each row", "rows")
            .reads("blockTables", I32, "KV block ids", "tables", "maxBlocks");
    if (split) {
      contract
          .extent("splits", 1, MOST_SPLITS, "blocks that share the segments of a head and row")
          .derived("partialWidth", "headDim + 2", b -> headDim + 2L)
          .updates(
              "partials",
              F32,
              "of each segment: sums, largest score, total of weights; those of live positions",
              "rows",
              "heads",
              "segments",
              "partialWidth")
          .status(
              StatusBit.POSITION_BEYOND_TABLE,
              StatusBit.BLOCK_OUT_OF_POOL,
              StatusBit.SEQUENCE_OUT_OF_RANGE,
              StatusBit.POSITION_BEYOND_BUCKET);
    } else {
      contract
          .writes("out", F32, "attended values", "rows", "heads", "headDim")
          .status(
              StatusBit.POSITION_BEYOND_TABLE,
              StatusBit.BLOCK_OUT_OF_POOL,
              StatusBit.SEQUENCE_OUT_OF_RANGE);
    }
    contract
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
        .arithmetic(
            "f32 online softmax over tiles of 32 positions; in a segment of 256 positions tile t"
                + " belongs to warp t % 4 and the warps are combined in their order, and segments"
                + " are merged in theirs: fixed by positions alone, not by rows, grid, splits or"
                + " maxBlocks; 2^x has a relative error of 2^-22, weights under 2^-126 are 0");
    if (split) {
      contract
          .integer("segments", 1, 1 << 24, "segments that there is room for")
          .require(
              "splits is at most segments: the others would have nothing to do",
              b -> b.get("splits") <= b.get("segments"))
          .padding("nothing is written")
          .geometry(
              "a block of 4 warps a query head, row and split",
              b ->
                  LaunchConfig.of(1, WARPS * 32)
                      .withGrid(b.getInt("heads"), b.getInt("rows"), b.getInt("splits")));
    } else {
      contract
          .padding(
              "zeros; slots after a row's position and table entries after its block are not read")
          .geometry(
              "a block of 4 warps a query head and row",
              b -> LaunchConfig.of(1, WARPS * 32).withGrid(b.getInt("heads"), b.getInt("rows"), 1));
    }
    return contract.build();
  }

  private static KernelContract combining(int headDim) {
    return KernelContract.of(name("combine_", headDim), "attention")
        .summary("merges what paged_attention_split_%d left".formatted(headDim))
        .extent("rows", 1, Limits.ROWS, "rows of the bucket")
        .derived("headDim", Integer.toString(headDim), b -> headDim)
        .derived("partialWidth", "headDim + 2", b -> headDim + 2L)
        .reads("partials", F32, "sums of segments", "rows", "heads", "segments", "partialWidth")
        .reads("positions", I32, "position of each row, negative for padding", "rows")
        .reads("sequences", I32, "block table of each row", "rows")
        .writes("out", F32, "attended values", "rows", "heads", "headDim")
        .integer("heads", 1, 1024, "query heads")
        .integer("blockSize", 16, 1024, Form.POWER_OF_TWO, "positions a KV block")
        .integer("tables", 1, Limits.ROWS, "block tables")
        .integer("maxBlocks", 1, 1 << 24, "entries of a block table")
        .integer("segments", 1, 1 << 24, "segments that there is room for")
        .padding("zeros; a row that the split kernel reports gives NaN")
        .arithmetic("f32; segments in their order, each operation rounded")
        .geometry(
            "a block of headDim threads a query head and row",
            b -> LaunchConfig.of(1, headDim).withGrid(b.getInt("heads"), b.getInt("rows"), 1))
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
    return arrays("", q, pool, positions, sequences, tables, status, rows, heads, scale)
        .span("out", out)
        .prepare();
  }

  /**
   * The same bits by two launches: {@code splits} blocks share the segments of each head and row,
   * and what they leave is merged.
   *
   * @param partials f32, {@link #partialBytes} bytes; both launches use it and nothing in between
   *     may
   * @param context positions that there is room for; a row at or beyond it gives NaN and sets
   *     {@link StatusBit#POSITION_BEYOND_BUCKET} at the latest where its segment ends
   * @param splits from 1 to the segments of the context
   * @return the launches, in order
   * @throws IllegalArgumentException when the head width is none of 32, 64 and 128, or splits are
   *     out of range
   */
  public List<PreparedLaunch> split(
      Span q,
      KvLayer pool,
      Span positions,
      Span sequences,
      BlockTables tables,
      Span partials,
      Span out,
      Span status,
      int rows,
      int heads,
      float scale,
      int context,
      int splits) {
    int segments = segments(context);
    return List.of(
        arrays("split_", q, pool, positions, sequences, tables, status, rows, heads, scale)
            .set("segments", segments)
            .set("splits", splits)
            .span("partials", partials)
            .prepare(),
        kernels
            .invoke(name("combine_", pool.headDim()))
            .set("rows", rows)
            .set("heads", heads)
            .set("blockSize", pool.blockSize())
            .set("tables", tables.tables())
            .set("maxBlocks", tables.maxBlocks())
            .set("segments", segments)
            .span("partials", partials)
            .span("positions", positions)
            .span("sequences", sequences)
            .span("out", out)
            .prepare());
  }

  /** Segments that a context is cut into. */
  public static int segments(int context) {
    return Limits.divideUp(context, SEGMENT);
  }

  /** Bytes of what is kept of segments where attention is split. */
  public static long partialBytes(int rows, int heads, int headDim, int context) {
    return Math.multiplyExact(
        (long) rows * heads, (long) segments(context) * (headDim + 2) * Float.BYTES);
  }

  /** Over how many blocks a step of this shape spreads the sequence of a head and row. */
  public int splits(TunableShape.Attention shape) {
    return kernels
        .find(shape)
        .map(KernelVariant.Attention.class::cast)
        .orElseGet(() -> standard(shape))
        .splits();
  }

  /**
   * The variant of a shape for which none was chosen: enough splits for two blocks a
   * multiprocessor, as far as there are segments.
   */
  public KernelVariant.Attention standard(TunableShape.Attention shape) {
    long wanted = (long) BLOCKS_WANTED * multiprocessors;
    int splits = 1;
    while ((long) shape.rows() * shape.heads() * splits < wanted
        && splits * 2 <= segments(shape.context())) {
      splits *= 2;
    }
    return new KernelVariant.Attention(splits);
  }

  /** The variants that are worth trying for a shape; the standard one first. */
  public List<KernelVariant.Attention> variants(TunableShape.Attention shape) {
    Set<KernelVariant.Attention> variants = new LinkedHashSet<>();
    variants.add(standard(shape));
    long most = 8L * BLOCKS_WANTED * multiprocessors;
    for (int splits = 1; splits <= segments(shape.context()); splits *= 2) {
      if (splits == 1 || (long) shape.rows() * shape.heads() * splits <= most) {
        variants.add(new KernelVariant.Attention(splits));
      }
    }
    return List.copyOf(variants);
  }

  private Invocation arrays(
      String part,
      Span q,
      KvLayer pool,
      Span positions,
      Span sequences,
      BlockTables tables,
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
        .invoke(name(part, headDim))
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
        .span("status", status);
  }
}
