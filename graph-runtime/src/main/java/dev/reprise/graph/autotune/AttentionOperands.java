package dev.reprise.graph.autotune;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.Attention;
import dev.reprise.kernels.BlockTables;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Queries at the end of the context, each of a sequence with KV blocks of its own. */
record AttentionOperands(TunableShape.Attention shape) implements Operands {

  private int maxBlocks() {
    return Math.ceilDiv(shape.context(), shape.blockSize());
  }

  private long blocks() {
    return (long) shape.rows() * maxBlocks() + 1;
  }

  private long pool() {
    return Math.multiplyExact(
        blocks(), (long) shape.kvHeads() * shape.blockSize() * shape.headDim() * Float.BYTES);
  }

  private long queries() {
    return (long) shape.rows() * shape.heads() * shape.headDim() * Float.BYTES;
  }

  private long partials() {
    return Attention.partialBytes(shape.rows(), shape.heads(), shape.headDim(), shape.context());
  }

  @Override
  public long bytes() {
    return 2 * pool() + 2 * queries() + partials() + blocks() * Integer.BYTES;
  }

  @Override
  public Ready ready(Kernels kernels, TrialArrays arrays) {
    int rows = shape.rows();
    int[] positions = new int[rows];
    Arrays.fill(positions, shape.context() - 1);
    KvLayer kv =
        new KvLayer(
            arrays.random(pool(), false),
            arrays.random(pool(), false),
            Math.toIntExact(blocks()),
            shape.kvHeads(),
            shape.blockSize(),
            shape.headDim());
    BlockTables tables =
        new BlockTables(
            arrays.ints(IntStream.range(1, Math.toIntExact(blocks())).toArray()),
            rows,
            maxBlocks());
    Span q = arrays.random(queries(), false);
    Span at = arrays.ints(positions);
    Span sequences = arrays.ints(IntStream.range(0, rows).toArray());
    Span status = arrays.ints(0);
    Span out = arrays.allocate(queries());
    Span partials = arrays.allocate(partials());
    float scale = (float) (1 / Math.sqrt(shape.headDim()));
    return new Ready(
        out,
        variant -> {
          int splits = ((KernelVariant.Attention) variant).splits();
          if (splits == 1) {
            PreparedLaunch whole =
                kernels
                    .attention()
                    .paged(q, kv, at, sequences, tables, out, status, rows, shape.heads(), scale);
            return List.of(whole);
          }
          return kernels
              .attention()
              .split(
                  q,
                  kv,
                  at,
                  sequences,
                  tables,
                  partials,
                  out,
                  status,
                  rows,
                  shape.heads(),
                  scale,
                  shape.context(),
                  splits);
        });
  }
}
