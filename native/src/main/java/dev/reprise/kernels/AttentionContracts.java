package dev.reprise.kernels;

import static dev.reprise.kernels.contract.ElementType.F32;
import static dev.reprise.kernels.contract.ElementType.I32;

import dev.reprise.cuda.LaunchConfig;
import dev.reprise.kernels.contract.ContractBuilder;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.contract.Symbol.Form;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The contracts of the attention kernels: whole, split and combining, for each head width. */
final class AttentionContracts {

  private static final int WARPS = 4;
  private static final int MOST_SPLITS = 65_535;

  static final List<KernelContract> ALL =
      IntStream.of(32, 64, 128)
          .boxed()
          .flatMap(d -> Stream.of(contract(d, false), contract(d, true), combining(d)))
          .toList();

  private AttentionContracts() {}

  static String name(String part, int headDim) {
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
}
