package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.reference.MatMulReference;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(GpuExtension.class)
class MatMulTest {

  @ParameterizedTest
  @CsvSource({
    // rows, in, out: whole tiles, then tails of rows, of outputs and of the dot product
    "1,128,64",
    "4,128,128",
    "8,64,64",
    "2,128,16",
    "3,96,20",
    "5,132,67",
    "1,4,1",
    "6,36,3",
    "7,260,33",
    "1,384,128",
    "2,8,130",
    "9,520,5",
    // row lengths that leave rows of W unaligned
    "1,1,1",
    "3,7,5",
    "2,130,17",
    "1,33,64"
  })
  void matchesTheReferenceForBothWeightTypes(int rows, int in, int out, Gpu gpu) {
    Random random = Gpu.random();
    float[] w = Inputs.halfExact(random, out * in);
    float[] x = Inputs.uniform(random, rows * in, -2, 2);
    double[] expected = MatMulReference.multiply(w, x, rows, in, out);
    double[] magnitude = MatMulReference.magnitude(w, x, rows, in, out);
    for (WeightType type : WeightType.values()) {
      float[] y = multiply(gpu, type, w, x, rows, in, out);
      Close.assertClose(y, expected, magnitude, 2e-6);
    }
  }

  @ParameterizedTest
  @CsvSource({"F32,128,80", "F16,128,80", "F32,100,48", "F16,72,48", "F32,31,9", "F16,31,9"})
  void aRowHasTheSameBitsInEveryBucket(WeightType type, int in, int out, Gpu gpu) {
    Random random = Gpu.random();
    float[] w = Inputs.halfExact(random, out * in);
    float[] row = Inputs.uniform(random, in, -2, 2);
    int[] alone = Close.bits(multiply(gpu, type, w, row, 1, in, out));
    for (int rows = 2; rows <= 9; rows++) {
      for (int at : new int[] {0, rows / 2, rows - 1}) {
        float[] x = new float[rows * in];
        Arrays.fill(x, Float.NaN);
        System.arraycopy(row, 0, x, at * in, in);
        assertThat(Close.bits(multiply(gpu, type, w, x, rows, in, out), at, out))
            .as("row %d of %d", at, rows)
            .isEqualTo(alone);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"F32,132,75", "F16,264,75"})
  void wideAndNarrowGiveTheSameBits(WeightType type, int in, int out, Gpu gpu) {
    Random random = Gpu.random();
    int rows = 6;
    Span w = gpu.weights(type, Inputs.halfExact(random, out * in));
    Span x = gpu.floats(Inputs.uniform(random, rows * in, -2, 2));
    Span wide = gpu.floatsOf(rows * out);
    Span narrow = gpu.floatsOf(rows * out);
    MatMul few = new MatMul(gpu.kernels(), 1);
    MatMul many = new MatMul(gpu.kernels(), 1_000_000);
    PreparedLaunch first = few.multiply(type, w, x, wide, rows, in, out);
    PreparedLaunch second = many.multiply(type, w, x, narrow, rows, in, out);
    assertThat(first.kernel().name()).endsWith("_wide");
    assertThat(second.kernel().name()).endsWith("_narrow");
    gpu.run(first, second);
    assertThat(Close.bits(gpu.floats(wide))).isEqualTo(Close.bits(gpu.floats(narrow)));
  }

  @Test
  void doesNotWriteBeyondTheProduct(Gpu gpu) {
    int rows = 3;
    int out = 21;
    Span y = gpu.floatsOf(rows * out + 64);
    int[] before = gpu.ints(y);
    gpu.run(
        gpu.kernels()
            .matMul()
            .multiply(
                WeightType.F32,
                gpu.floats(new float[out * 12]),
                gpu.floats(new float[rows * 12]),
                y,
                rows,
                12,
                out));
    assertThat(Arrays.copyOfRange(gpu.ints(y), rows * out, rows * out + 64))
        .isEqualTo(Arrays.copyOfRange(before, rows * out, rows * out + 64));
    assertThat(Arrays.copyOf(gpu.floats(y), rows * out)).containsOnly(0f);
  }

  @Test
  void halfWeightsAreWidenedExactly(Gpu gpu) {
    float[] w = {65504, -65504, 0x1p-24f, 0x1p-14f, Float.POSITIVE_INFINITY, -0f, 1, 0x1.ff8p-15f};
    for (int i = 0; i < w.length; i++) {
      float[] x = new float[8];
      x[i] = 1;
      float[] row = w.clone();
      row[4] = i == 4 ? w[4] : 0;
      assertThat(multiply(gpu, WeightType.F16, row, x, 1, 8, 1)[0]).isEqualTo(w[i] + 0f);
    }
  }

  private static float[] multiply(
      Gpu gpu, WeightType type, float[] w, float[] x, int rows, int in, int out) {
    Span y = gpu.floatsOf(rows * out);
    gpu.run(
        gpu.kernels()
            .matMul()
            .multiply(type, gpu.weights(type, w), gpu.floats(x), y, rows, in, out));
    return gpu.floats(y);
  }
}
