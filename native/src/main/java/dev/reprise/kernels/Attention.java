package dev.reprise.kernels;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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

  /** Blocks a multiprocessor that splitting aims at. */
  private static final int BLOCKS_WANTED = 2;

  static final List<KernelContract> CONTRACTS = AttentionContracts.ALL;

  private final Kernels kernels;
  private final int multiprocessors;

  Attention(Kernels kernels, int multiprocessors) {
    this.kernels = kernels;
    this.multiprocessors = multiprocessors;
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
            .invoke(AttentionContracts.name("combine_", pool.headDim()))
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
        .invoke(AttentionContracts.name(part, headDim))
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
