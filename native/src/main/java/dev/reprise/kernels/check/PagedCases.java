package dev.reprise.kernels.check;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.Attention;
import dev.reprise.kernels.KvLayer;
import dev.reprise.kernels.RotaryTable;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.reference.AttentionReference;
import dev.reprise.kernels.reference.RotaryReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Kernels on the paged KV pool: rotary embedding with its KV write, and attention. */
final class PagedCases {

  private static final double THETA = 10_000;

  /** What the unused entries of block tables hold, and the sequences of padding rows. */
  private static final int GARBAGE = 0x7f7f7f7f;

  private PagedCases() {}

  static List<KernelCase> all(boolean quick) {
    int[] lengths = // around the ends of tiles and blocks
        quick
            ? new int[] {1, 16, 17, 33, 65}
            : new int[] {1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 130, 161, 1000, 2049};
    int[][] shapes = // head width, heads, key/value heads, block size
        quick
            ? new int[][] {{32, 4, 2, 16}, {64, 2, 1, 16}, {128, 2, 2, 16}}
            : new int[][] {
              {32, 4, 2, 16}, {32, 3, 3, 64}, {64, 8, 2, 128}, {64, 2, 1, 16}, {128, 32, 8, 16}
            };
    List<KernelCase> cases = new ArrayList<>();
    for (int[] s : shapes) {
      cases.add(
          new KernelCase("rope_kv_write", shape(s, lengths), bench -> rotary(bench, s, lengths)));
    }
    for (int[] s : shapes) {
      cases.add(
          new KernelCase(
              "paged_attention_" + s[0], shape(s, lengths), bench -> attention(bench, s, lengths)));
      int[] longer = quick ? new int[] {1, 256, 257, 530} : lengths;
      cases.add(
          new KernelCase(
              "paged_attention_split_" + s[0],
              shape(s, longer),
              bench -> split(bench, s, longer, 0)));
      cases.add(
          new KernelCase(
              "paged_attention_combine_" + s[0],
              shape(s, longer),
              bench -> split(bench, s, longer, 1)));
    }
    return cases;
  }

  private static String shape(int[] s, int[] lengths) {
    return "%d rows up to position %d, %d heads of %d, %d key/value heads, blocks of %d"
        .formatted(
            lengths.length, Arrays.stream(lengths).max().orElse(0) - 1, s[1], s[0], s[2], s[3]);
  }

  /** What is launched over some sequences, one a row. */
  private record Attended(
      PagedPool paged, float[] q, int[] positions, int heads, float scale, Span out, Span status) {

    static Attended of(KernelCase.Bench bench, int[] s, int[] lengths) {
      int width = s[1] * s[0];
      PagedPool paged = new PagedPool(bench.random(), s[2], s[3], s[0], lengths);
      return new Attended(
          paged,
          Inputs.uniform(bench.random(), lengths.length * width, -2, 2),
          Arrays.stream(lengths).map(length -> length - 1).toArray(),
          s[1],
          (float) (1 / Math.sqrt(s[0])),
          bench.arrays().floatsOf(lengths.length * width),
          bench.arrays().status());
    }

    Agreement agreement(DeviceArrays gpu) {
      int headDim = paged.shape().headDim();
      int rows = positions.length;
      double[] expected = new double[rows * heads * headDim];
      for (int row = 0; row < rows; row++) {
        for (int head = 0; head < heads; head++) {
          int from = (row * heads + head) * headDim;
          double[] one =
              AttentionReference.attend(
                  Arrays.copyOfRange(q, from, from + headDim),
                  paged.keys(),
                  paged.values(),
                  paged.shape(),
                  paged.tables()[row],
                  positions[row],
                  head / (heads / paged.shape().kvHeads()),
                  scale);
          System.arraycopy(one, 0, expected, from, headDim);
        }
      }
      return Agreement.within("out", gpu.floats(out), expected, 1e-5, 1e-5)
          .and(Agreement.exact("status", gpu.ints(status), new int[1]));
    }
  }

  private static Agreement attention(KernelCase.Bench bench, int[] s, int[] lengths) {
    DeviceArrays gpu = bench.arrays();
    Attended a = Attended.of(bench, s, lengths);
    bench.run(
        bench
            .kernels()
            .attention()
            .paged(
                gpu.floats(a.q),
                a.paged.upload(gpu),
                gpu.ints(a.positions),
                gpu.ints(sequences(lengths.length)),
                a.paged.tables(gpu, a.paged.mostBlocks() + 1, GARBAGE),
                a.out,
                a.status,
                lengths.length,
                a.heads,
                a.scale));
    return a.agreement(gpu);
  }

  /** Split attention; {@code checked} says which of its two launches is the kernel of the case. */
  private static Agreement split(KernelCase.Bench bench, int[] s, int[] lengths, int checked) {
    DeviceArrays gpu = bench.arrays();
    Attended a = Attended.of(bench, s, lengths);
    int rows = lengths.length;
    int context = Arrays.stream(lengths).max().orElseThrow();
    long bytes = Attention.partialBytes(rows, a.heads, s[0], context);
    List<PreparedLaunch> launches =
        bench
            .kernels()
            .attention()
            .split(
                gpu.floats(a.q),
                a.paged.upload(gpu),
                gpu.ints(a.positions),
                gpu.ints(sequences(rows)),
                a.paged.tables(gpu, a.paged.mostBlocks() + 1, GARBAGE),
                gpu.allocate(bytes),
                a.out,
                a.status,
                rows,
                a.heads,
                a.scale,
                context,
                Math.min(2, Attention.segments(context)));
    for (int i = 0; i < launches.size(); i++) {
      if (i == checked) {
        bench.run(launches.get(i));
      } else {
        gpu.run(launches.get(i));
      }
    }
    return a.agreement(gpu);
  }

  /** The last position of each sequence is written; the second row is padding. */
  private static Agreement rotary(KernelCase.Bench bench, int[] s, int[] lengths) {
    DeviceArrays gpu = bench.arrays();
    int headDim = s[0];
    int heads = s[1];
    int kvHeads = s[2];
    int rows = lengths.length;
    int width = (heads + 2 * kvHeads) * headDim;
    int context = Arrays.stream(lengths).max().orElseThrow();
    PagedPool paged = new PagedPool(bench.random(), kvHeads, s[3], headDim, lengths);
    float[] qkv = Inputs.uniform(bench.random(), rows * width, -2, 2);
    int[] positions = Arrays.stream(lengths).map(length -> length - 1).toArray();
    int[] sequences = sequences(rows);
    positions[1] = -1;
    sequences[1] = GARBAGE;
    Span qOut = gpu.floatsOf(rows * heads * headDim);
    Span status = gpu.status();
    KvLayer pool = paged.upload(gpu);
    bench.run(
        bench
            .kernels()
            .rotaryEmbedding()
            .writeKv(
                gpu.floats(qkv),
                gpu.floats(RotaryTable.of(context, headDim, THETA)),
                gpu.ints(positions),
                gpu.ints(sequences),
                paged.tables(gpu, paged.mostBlocks(), GARBAGE),
                qOut,
                pool,
                status,
                rows,
                heads,
                context));
    double[] q = new double[rows * heads * headDim];
    double[] keys = widened(paged.keys());
    double[] values = widened(paged.values());
    for (int row = 0; row < rows; row++) {
      if (positions[row] < 0) {
        continue;
      }
      for (int head = 0; head < heads; head++) {
        double[] turned = rotated(qkv, row * width + head * headDim, headDim, positions[row]);
        System.arraycopy(turned, 0, q, (row * heads + head) * headDim, headDim);
      }
      for (int head = 0; head < kvHeads; head++) {
        int k = row * width + (heads + head) * headDim;
        int slot = paged.shape().slot(paged.tables()[row], positions[row], head);
        System.arraycopy(rotated(qkv, k, headDim, positions[row]), 0, keys, slot, headDim);
        for (int d = 0; d < headDim; d++) {
          values[slot + d] = qkv[k + kvHeads * headDim + d];
        }
      }
    }
    return Agreement.within("q", gpu.floats(qOut), q, 1e-6, 1e-5)
        .and(Agreement.within("keys", gpu.floats(pool.keys()), keys, 1e-6, 1e-5))
        .and(Agreement.exact("values", gpu.floats(pool.values()), values))
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  private static double[] rotated(float[] qkv, int from, int headDim, int position) {
    return RotaryReference.rotate(
        widened(Arrays.copyOfRange(qkv, from, from + headDim)), position, THETA);
  }

  private static int[] sequences(int rows) {
    int[] sequences = new int[rows];
    Arrays.setAll(sequences, i -> i);
    return sequences;
  }

  private static double[] widened(float[] values) {
    double[] wide = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      wide[i] = values[i];
    }
    return wide;
  }
}
