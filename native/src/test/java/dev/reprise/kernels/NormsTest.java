package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.reference.NormReference;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(GpuExtension.class)
class NormsTest {

  private static final float EPS = 1e-5f;

  @ParameterizedTest
  @CsvSource({"128,1", "128,5", "4,3", "7,2", "1,2", "516,2", "1027,3", "4096,2"})
  void plainNormMatchesTheReference(int n, int rows, Gpu gpu) {
    Random random = Gpu.random();
    float[] x = Inputs.uniform(random, rows * n, -3, 3);
    float[] w = Inputs.uniform(random, n, -2, 2);
    Span out = gpu.floatsOf(rows * n);
    gpu.run(gpu.kernels().norms().rms(gpu.floats(x), gpu.floats(w), out, rows, n, EPS));
    Close.assertClose(
        gpu.floats(out), NormReference.rows(x, new float[x.length], w, EPS), 1e-5, 1e-7);
  }

  @ParameterizedTest
  @CsvSource({"128,4", "6,2", "640,3", "1025,2"})
  void residualNormAddsInPlaceAndNorms(int n, int rows, Gpu gpu) {
    Random random = Gpu.random();
    float[] x = Inputs.uniform(random, rows * n, -3, 3);
    float[] delta = Inputs.uniform(random, rows * n, -1, 1);
    float[] w = Inputs.uniform(random, n, -2, 2);
    Span stream = gpu.floats(x);
    Span out = gpu.floatsOf(rows * n);
    gpu.run(
        gpu.kernels()
            .norms()
            .rmsResidual(stream, gpu.floats(delta), gpu.floats(w), out, rows, n, EPS));
    float[] sum = new float[x.length];
    for (int i = 0; i < x.length; i++) {
      sum[i] = x[i] + delta[i];
    }
    assertThat(gpu.floats(stream)).isEqualTo(sum);
    Close.assertClose(gpu.floats(out), NormReference.rows(x, delta, w, EPS), 1e-5, 1e-6);
  }

  @ParameterizedTest
  @CsvSource({"128", "9", "768"})
  void gatherNormsTheNamedRowsAndLeavesTheStreamAlone(int n, Gpu gpu) {
    Random random = Gpu.random();
    int rows = 5;
    float[] x = Inputs.uniform(random, rows * n, -3, 3);
    float[] delta = Inputs.uniform(random, rows * n, -1, 1);
    float[] w = Inputs.uniform(random, n, -2, 2);
    Span stream = gpu.floats(x);
    Span out = gpu.floatsOf(4 * n);
    Span status = gpu.status();
    gpu.run(
        gpu.kernels()
            .norms()
            .rmsResidualGather(
                stream,
                gpu.floats(delta),
                gpu.ints(4, -1, 0, Integer.MIN_VALUE),
                gpu.floats(w),
                out,
                status,
                4,
                rows,
                n,
                EPS));
    double[] all = NormReference.rows(x, delta, w, EPS);
    double[] gathered = new double[4 * n];
    System.arraycopy(all, 4 * n, gathered, 0, n);
    System.arraycopy(all, 0, gathered, 2 * n, n);
    Close.assertClose(gpu.floats(out), gathered, 1e-5, 1e-6);
    assertThat(gpu.floats(stream)).isEqualTo(x);
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void gatherOfARowThatDoesNotExistIsNaNAndReported(Gpu gpu) {
    Span out = gpu.floatsOf(8);
    Span status = gpu.status();
    Span x = gpu.floats(1, 2, 3, 4);
    Span delta = gpu.floats(0, 0, 0, 0);
    Span w = gpu.floats(1, 1, 1, 1);
    gpu.run(
        gpu.kernels()
            .norms()
            .rmsResidualGather(x, delta, gpu.ints(0, 1), w, out, status, 2, 1, 4, EPS));
    assertThat(gpu.floats(out)[3]).isNotNaN();
    assertThat(gpu.floats(out)[4]).isNaN();
    assertThat(gpu.status(status)).containsExactly(StatusBit.ROW_OUT_OF_RANGE);
  }

  @ParameterizedTest
  @CsvSource({"128", "1030"})
  void aRowHasTheSameBitsAloneAndAmongRowsOfNaN(int n, Gpu gpu) {
    Random random = Gpu.random();
    float[] w = Inputs.uniform(random, n, -2, 2);
    float[] row = Inputs.uniform(random, n, -3, 3);
    float[] rows = new float[7 * n];
    Arrays.fill(rows, Float.NaN);
    System.arraycopy(row, 0, rows, 5 * n, n);
    Span alone = gpu.floatsOf(n);
    Span among = gpu.floatsOf(7 * n);
    gpu.run(
        gpu.kernels().norms().rms(gpu.floats(row), gpu.floats(w), alone, 1, n, EPS),
        gpu.kernels().norms().rms(gpu.floats(rows), gpu.floats(w), among, 7, n, EPS));
    assertThat(Close.bits(gpu.floats(among), 5, n)).isEqualTo(Close.bits(gpu.floats(alone)));
  }

  @Test
  void extremeRowsStayFiniteWhereTheReferenceIs(Gpu gpu) {
    float[] x = {0, 0, 0, 0, 1e18f, -1e18f, 1e17f, 1, 1e-20f, 1e-20f, -1e-20f, 0};
    float[] w = {1, 1, 1, 1};
    Span out = gpu.floatsOf(12);
    gpu.run(gpu.kernels().norms().rms(gpu.floats(x), gpu.floats(w), out, 3, 4, EPS));
    Close.assertClose(
        gpu.floats(out), NormReference.rows(x, new float[x.length], w, EPS), 1e-5, 1e-30);
  }
}
