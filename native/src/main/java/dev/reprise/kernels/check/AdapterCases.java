package dev.reprise.kernels.check;

import dev.reprise.kernels.AdapterSlots;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import dev.reprise.kernels.reference.AdapterReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Both halves of the low-rank adapters, each against the whole: the other half is trivial. */
final class AdapterCases {

  private static final int SLOTS = 2;

  private AdapterCases() {}

  static List<KernelCase> all(boolean quick) {
    List<KernelCase> cases = new ArrayList<>();
    int[][] shapes = // rows, wide side, largest rank
        quick
            ? new int[][] {{1, 64, 4}, {5, 131, 7}}
            : new int[][] {{1, 64, 4}, {5, 131, 7}, {8, 4096, 16}, {3, 1000, 64}};
    for (WeightType type : WeightType.values()) {
      for (int[] s : shapes) {
        String shape = "%d rows, %d wide, rank up to %d".formatted(s[0], s[1], s[2]);
        String suffix = type == WeightType.F32 ? "f32" : "f16";
        cases.add(
            new KernelCase("lora_shrink_" + suffix, shape, b -> shrink(b, type, s[0], s[1], s[2])));
        cases.add(
            new KernelCase("lora_expand_" + suffix, shape, b -> expand(b, type, s[0], s[1], s[2])));
      }
    }
    return cases;
  }

  private static Agreement shrink(
      KernelCase.Bench bench, WeightType type, int rows, int in, int maxRank) {
    DeviceArrays gpu = bench.arrays();
    Random random = bench.random();
    float[] a = Inputs.halfExact(random, SLOTS * maxRank * in);
    float[] x = Inputs.uniform(random, rows * in, -2, 2);
    int[] ranks = {maxRank, Math.max(1, maxRank / 2)};
    int[] adapters = random.ints(rows, 0, SLOTS).toArray();
    float[] before = Inputs.uniform(random, rows * maxRank, -1, 1);
    double[] expected = new double[before.length];
    double[] magnitude = new double[before.length];
    for (int row = 0; row < rows; row++) {
      for (int r = 0; r < maxRank; r++) {
        int at = row * maxRank + r;
        expected[at] = before[at];
        magnitude[at] = 1;
        if (r < ranks[adapters[row]]) {
          float[] weights = part(a, adapters[row] * maxRank + r, in);
          float[] one = {1};
          expected[at] =
              AdapterReference.row(weights, one, part(x, row, in), new float[1], 1, 1)[0];
          magnitude[at] =
              AdapterReference.magnitude(weights, one, part(x, row, in), new float[1], 1, 1)[0];
        }
      }
    }
    Span low = gpu.floats(before);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .adapters()
            .shrink(
                slots(gpu, type, gpu.weights(type, a), gpu.floatsOf(1), ranks, maxRank),
                gpu.floats(x),
                gpu.ints(adapters),
                gpu.ints(new int[rows]),
                low,
                status,
                rows,
                in));
    return Agreement.within("low", gpu.floats(low), expected, magnitude, 2e-6)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  private static Agreement expand(
      KernelCase.Bench bench, WeightType type, int rows, int out, int maxRank) {
    DeviceArrays gpu = bench.arrays();
    Random random = bench.random();
    float[] b = Inputs.halfExact(random, SLOTS * maxRank * out);
    float[] low = Inputs.uniform(random, rows * maxRank, -2, 2);
    float[] y = Inputs.uniform(random, rows * out, -2, 2);
    int[] ranks = {maxRank, Math.max(1, maxRank / 2)};
    int[] adapters = random.ints(rows, 0, SLOTS).toArray();
    double[] expected = new double[y.length];
    double[] magnitude = new double[y.length];
    float[] identity = new float[maxRank * maxRank];
    for (int r = 0; r < maxRank; r++) {
      identity[r * maxRank + r] = 1;
    }
    for (int row = 0; row < rows; row++) {
      int slot = adapters[row];
      float[] weights = part(b, slot, maxRank * out);
      float[] in = part(low, row, maxRank);
      float[] base = part(y, row, out);
      System.arraycopy(
          AdapterReference.row(identity, weights, in, base, ranks[slot], 0.5 + slot),
          0,
          expected,
          row * out,
          out);
      System.arraycopy(
          AdapterReference.magnitude(identity, weights, in, base, ranks[slot], 0.5 + slot),
          0,
          magnitude,
          row * out,
          out);
    }
    Span result = gpu.floats(y);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .adapters()
            .expand(
                slots(gpu, type, gpu.floatsOf(1), gpu.weights(type, b), ranks, maxRank),
                gpu.floats(low),
                gpu.ints(adapters),
                gpu.ints(new int[rows]),
                result,
                status,
                rows,
                out));
    return Agreement.within("y", gpu.floats(result), expected, magnitude, 2e-6)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  private static AdapterSlots slots(
      DeviceArrays gpu, WeightType type, Span a, Span b, int[] ranks, int maxRank) {
    return new AdapterSlots(type, a, b, gpu.ints(ranks), gpu.floats(0.5f, 1.5f), SLOTS, maxRank);
  }

  private static float[] part(float[] values, int index, int length) {
    return Arrays.copyOfRange(values, index * length, (index + 1) * length);
  }
}
