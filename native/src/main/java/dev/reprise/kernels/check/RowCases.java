package dev.reprise.kernels.check;

import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import dev.reprise.kernels.reference.ActivationReference;
import dev.reprise.kernels.reference.EmbeddingReference;
import dev.reprise.kernels.reference.NormReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Kernels that work on each row by itself: embedding, norms, activation. */
final class RowCases {

  private static final float EPS = 1e-5f;

  private RowCases() {}

  static List<KernelCase> all(boolean quick) {
    int[][] shapes = // rows, width: aligned, tails, wide
        quick
            ? new int[][] {{1, 128}, {5, 131}}
            : new int[][] {{1, 128}, {5, 131}, {3, 1}, {7, 1027}, {8, 4096}, {64, 8192}};
    List<KernelCase> cases = new ArrayList<>();
    for (WeightType type : WeightType.values()) {
      for (int[] s : shapes) {
        String kernel = type == WeightType.F32 ? "embed_rows_f32" : "embed_rows_f16";
        cases.add(new KernelCase(kernel, shape(s), bench -> embedding(bench, type, s[0], s[1])));
      }
    }
    for (int[] s : shapes) {
      cases.add(new KernelCase("rms_norm", shape(s), bench -> rms(bench, s[0], s[1])));
    }
    for (int[] s : shapes) {
      cases.add(
          new KernelCase("rms_norm_residual", shape(s), bench -> residual(bench, s[0], s[1])));
    }
    for (int[] s : shapes) {
      cases.add(
          new KernelCase("rms_norm_residual_gather", shape(s), bench -> gather(bench, s[0], s[1])));
    }
    for (int[] s : shapes) {
      cases.add(
          new KernelCase(
              s[1] % 4 == 0 ? "swiglu" : "swiglu_any",
              shape(s),
              bench -> swiglu(bench, s[0], s[1])));
    }
    return cases;
  }

  private static String shape(int[] s) {
    return "%d rows, width %d".formatted(s[0], s[1]);
  }

  private static Agreement embedding(KernelCase.Bench bench, WeightType type, int rows, int dim) {
    DeviceArrays gpu = bench.arrays();
    Random random = bench.random();
    int vocab = 11;
    float[] table = Inputs.halfExact(random, vocab * dim);
    int[] tokens = random.ints(rows, 0, vocab).toArray();
    int[] positions = random.ints(rows, -1, 3).toArray();
    Span out = gpu.floatsOf(rows * dim);
    bench.run(
        bench
            .kernels()
            .embedding()
            .rows(
                type,
                gpu.weights(type, table),
                gpu.ints(tokens),
                gpu.ints(positions),
                out,
                rows,
                dim,
                vocab));
    return Agreement.exact(
        "out", gpu.floats(out), EmbeddingReference.rows(table, tokens, positions, dim, vocab));
  }

  private static Agreement rms(KernelCase.Bench bench, int rows, int n) {
    DeviceArrays gpu = bench.arrays();
    float[] x = Inputs.uniform(bench.random(), rows * n, -3, 3);
    float[] w = Inputs.uniform(bench.random(), n, -2, 2);
    Span out = gpu.floatsOf(rows * n);
    bench.run(bench.kernels().norms().rms(gpu.floats(x), gpu.floats(w), out, rows, n, EPS));
    return Agreement.within(
        "out", gpu.floats(out), NormReference.rows(x, new float[rows * n], w, EPS), 1e-5, 1e-7);
  }

  private static Agreement residual(KernelCase.Bench bench, int rows, int n) {
    DeviceArrays gpu = bench.arrays();
    float[] x = Inputs.uniform(bench.random(), rows * n, -3, 3);
    float[] delta = Inputs.uniform(bench.random(), rows * n, -1, 1);
    float[] w = Inputs.uniform(bench.random(), n, -2, 2);
    Span stream = gpu.floats(x);
    Span out = gpu.floatsOf(rows * n);
    bench.run(
        bench
            .kernels()
            .norms()
            .rmsResidual(stream, gpu.floats(delta), gpu.floats(w), out, rows, n, EPS));
    double[] sum = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      sum[i] = x[i] + delta[i];
    }
    return Agreement.within(
            "out", gpu.floats(out), NormReference.rows(x, delta, w, EPS), 1e-5, 1e-6)
        .and(Agreement.exact("x", gpu.floats(stream), sum));
  }

  /** The rows from last to first, with padding between them. */
  private static Agreement gather(KernelCase.Bench bench, int rows, int n) {
    DeviceArrays gpu = bench.arrays();
    float[] x = Inputs.uniform(bench.random(), rows * n, -3, 3);
    float[] delta = Inputs.uniform(bench.random(), rows * n, -1, 1);
    float[] w = Inputs.uniform(bench.random(), n, -2, 2);
    double[] all = NormReference.rows(x, delta, w, EPS);
    int[] index = new int[2 * rows];
    double[] expected = new double[index.length * n];
    for (int i = 0; i < rows; i++) {
      index[2 * i] = rows - 1 - i;
      index[2 * i + 1] = -1;
      System.arraycopy(all, (rows - 1 - i) * n, expected, 2 * i * n, n);
    }
    Span out = gpu.floatsOf(expected.length);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .norms()
            .rmsResidualGather(
                gpu.floats(x),
                gpu.floats(delta),
                gpu.ints(index),
                gpu.floats(w),
                out,
                status,
                index.length,
                rows,
                n,
                EPS));
    return Agreement.within("out", gpu.floats(out), expected, 1e-5, 1e-6)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  private static Agreement swiglu(KernelCase.Bench bench, int rows, int ff) {
    DeviceArrays gpu = bench.arrays();
    float[] gateUp = Inputs.uniform(bench.random(), rows * 2 * ff, -12, 12);
    Span out = gpu.floatsOf(rows * ff);
    bench.run(bench.kernels().activation().swiglu(gpu.floats(gateUp), out, rows, ff));
    return Agreement.within(
        "out", gpu.floats(out), ActivationReference.rows(gateUp, rows), 2e-6, 1e-9);
  }
}
