package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Kernels that nvcc compiled, against plain Java. */
final class CompiledKernelTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private KernelCode kernel(String resource, String name) {
    return Objects.requireNonNull(device.loadResource(resource).kernel(name));
  }

  private static float[] random(int n, long seed) {
    Random r = new Random(seed);
    float[] v = new float[n];
    for (int k = 0; k < n; k++) {
      v[k] = r.nextFloat() * 2 - 1;
    }
    return v;
  }

  @Test
  void addsVectorsWithAPartialLastBlock() {
    float[] a = random(1000, 1);
    float[] b = random(1000, 2);
    Allocation c = device.allocate(4000);
    device.launch(kernel("vecadd.ptx", "vec_add"), 8, 128, device.of(a), device.of(b), c, 1000);
    float[] got = Device.floats(c);
    for (int k = 0; k < 1000; k++) {
      assertThat(got[k]).isEqualTo(a[k] + b[k]);
    }
  }

  @Test
  void sumsBlocksByShufflesAndSharedMemory() {
    float[] a = random(5000, 3);
    Allocation out = device.allocate(16);
    device.launch(kernel("vecadd.ptx", "sum_blocks"), 4, 160, device.of(a), out, 5000);
    double want = 0;
    for (float v : a) {
      want += v;
    }
    float[] got = Device.floats(out);
    assertThat((double) got[0] + got[1] + got[2] + got[3]).isCloseTo(want, within(1e-3));
  }

  @Test
  void multipliesAMatrixByAVector() {
    int rows = 37;
    int cols = 288;
    float[] m = random(rows * cols, 4);
    float[] x = random(cols, 5);
    Allocation y = device.allocate(rows * 4L);
    device.launch(
        kernel("matvec.ptx", "matvec_f32"), 10, 128, device.of(m), device.of(x), y, rows, cols);
    short[] half = new short[rows * cols];
    for (int k = 0; k < half.length; k++) {
      half[k] = Float.floatToFloat16(m[k]);
    }
    Allocation y16 = device.allocate(rows * 4L);
    device.launch(
        kernel("matvec.ptx", "matvec_f16"),
        10,
        128,
        device.of(half),
        device.of(x),
        y16,
        rows,
        cols);
    for (int r = 0; r < rows; r++) {
      double want = 0;
      double want16 = 0;
      for (int c = 0; c < cols; c++) {
        want += (double) m[r * cols + c] * x[c];
        want16 += (double) Float.float16ToFloat(half[r * cols + c]) * x[c];
      }
      assertThat((double) Device.floats(y)[r]).isCloseTo(want, within(1e-4));
      assertThat((double) Device.floats(y16)[r]).isCloseTo(want16, within(1e-4));
    }
  }
}
