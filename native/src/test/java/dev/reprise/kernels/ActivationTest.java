package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.reference.ActivationReference;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(GpuExtension.class)
class ActivationTest {

  @ParameterizedTest
  @CsvSource({"384,1", "384,3", "4,2", "5,2", "1,1", "1031,2", "1540,2"})
  void swigluMatchesTheReference(int ff, int rows, Gpu gpu) {
    Random random = Gpu.random();
    float[] gateUp = Inputs.uniform(random, rows * 2 * ff, -12, 12);
    Close.assertClose(
        run(gpu, gateUp, rows, ff), ActivationReference.rows(gateUp, rows), 2e-6, 1e-9);
  }

  @Test
  void extremeGatesSaturate(Gpu gpu) {
    float[] gateUp = {100, -100, 1e30f, -1e30f, 0, -0f, 2, 2, 2, 2, 2, 2};
    float[] out = run(gpu, gateUp, 1, 6);
    Close.assertClose(out, ActivationReference.rows(gateUp, 1), 2e-6, 1e-37);
    assertThat(out[3]).isZero();
  }

  private static float[] run(Gpu gpu, float[] gateUp, int rows, int ff) {
    Span out = gpu.floatsOf(rows * ff);
    gpu.run(gpu.kernels().activation().swiglu(gpu.floats(gateUp), out, rows, ff));
    return gpu.floats(out);
  }
}
