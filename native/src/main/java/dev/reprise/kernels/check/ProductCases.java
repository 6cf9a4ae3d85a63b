package dev.reprise.kernels.check;

import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import dev.reprise.kernels.reference.MatMulReference;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.ArrayList;
import java.util.List;

/** Products with weight matrices, by every form of the kernel. */
final class ProductCases {

  private static final int TILE = 16;

  private ProductCases() {}

  /** {@code wide} runs where it has work for all multiprocessors, so its shape depends on them. */
  static List<KernelCase> all(boolean quick, int multiprocessors) {
    List<KernelCase> cases = new ArrayList<>();
    for (WeightType type : WeightType.values()) {
      String prefix = type == WeightType.F32 ? "matmul_f32_" : "matmul_f16_";
      int busy = TILE * 4 * multiprocessors;
      add(cases, type, prefix + "wide", 1, 32, busy);
      add(cases, type, prefix + "wide", 5, 64, busy + 3);
      add(cases, type, prefix + "narrow", 1, 128, TILE);
      add(cases, type, prefix + "narrow", 3, 264, 13);
      addSplit(cases, type, prefix + "split", 1, 1048, 12);
      addSplit(cases, type, prefix + "split", 3, 3080, 9);
      add(cases, type, prefix + "any", 1, 33, 64);
      add(cases, type, prefix + "any", 3, 7, 5);
      if (!quick) {
        add(cases, type, prefix + "wide", 8, 4096, busy);
        add(cases, type, prefix + "narrow", 1, 8192, TILE * multiprocessors);
        add(cases, type, prefix + "any", 2, 4099, 257);
      }
    }
    return cases;
  }

  private static void add(
      List<KernelCase> cases, WeightType type, String kernel, int rows, int in, int out) {
    TunableShape.Product shape = new TunableShape.Product(type.element(), rows, in, out);
    cases.add(
        new KernelCase(
            kernel,
            "%d rows, %d in, %d out".formatted(rows, in, out),
            bench ->
                multiply(bench, type, bench.kernels().matMul().standard(shape), rows, in, out)));
  }

  private static void addSplit(
      List<KernelCase> cases, WeightType type, String kernel, int rows, int in, int out) {
    cases.add(
        new KernelCase(
            kernel,
            "%d rows, %d in, %d out".formatted(rows, in, out),
            bench ->
                multiply(
                    bench,
                    type,
                    new KernelVariant.Product(KernelVariant.Product.Form.SPLIT, 4, 4),
                    rows,
                    in,
                    out)));
  }

  private static Agreement multiply(
      KernelCase.Bench bench,
      WeightType type,
      KernelVariant.Product variant,
      int rows,
      int in,
      int out) {
    DeviceArrays gpu = bench.arrays();
    float[] w = Inputs.halfExact(bench.random(), out * in);
    float[] x = Inputs.uniform(bench.random(), rows * in, -2, 2);
    Span y = gpu.floatsOf(rows * out);
    bench.run(
        bench
            .kernels()
            .matMul()
            .multiply(variant, type, gpu.weights(type, w), gpu.floats(x), y, rows, in, out));
    return Agreement.within(
        "y",
        gpu.floats(y),
        MatMulReference.multiply(w, x, rows, in, out),
        MatMulReference.magnitude(w, x, rows, in, out),
        2e-6);
  }
}
