package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels that nvcc has compiled to copy pixels, and to change their maps. */
class TensorModeTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final long SEED = 77;
  private static final int INT32 = 3;
  private static final int CHANNELS = 8;
  private static final int PIXELS = 32;

  private MemorySegment kernelOf(String name) {
    MemorySegment image = arena().allocateFrom(text("tensor_modes.ptx"));
    return kernel(out(slot -> cuda_h.cuModuleLoadData(slot, image)), name);
  }

  private MemorySegment map() {
    return arena().allocate(128, 64);
  }

  private MemorySegment ints32(int... values) {
    return arena().allocateFrom(JAVA_INT, values);
  }

  private MemorySegment longs(long... values) {
    return arena().allocateFrom(JAVA_LONG, values);
  }

  private MemorySegment rowsOf(long matrix, int rows, int boxRows, int swizzle) {
    MemorySegment map = map();
    ok(
        cuda_h.cuTensorMapEncodeTiled(
            map,
            INT32,
            2,
            MemorySegment.ofAddress(matrix),
            longs(32, rows),
            longs(128),
            ints32(32, boxRows),
            ints32(1, 1),
            0,
            swizzle,
            0,
            0));
    return map;
  }

  private void launch(MemorySegment kernel, int grid, int block, MemorySegment... parameters) {
    MemorySegment pointers = arena().allocate(ADDRESS, parameters.length);
    for (int k = 0; k < parameters.length; k++) {
      pointers.setAtIndex(ADDRESS, k, parameters[k]);
    }
    ok(cuda_h.cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 0, NONE, pointers, NONE));
    ok(cuda_h.cuCtxSynchronize());
  }

  @ParameterizedTest
  @CsvSource({
    "2, 9, 11, 3, 3, 1, 1, 1", "3, 8, 7, 3, 3, 2, 1, 1", "1, 12, 12, 2, 4, 1, 0, 1",
    "2, 10, 9, 3, 3, 1, 2, 2", "1, 15, 14, 5, 3, 3, 2, 1", "4, 5, 5, 1, 1, 1, 0, 1"
  })
  void convolvesImages(
      int images, int height, int width, int rows, int columns, int stride, int pad, int dilation) {
    SplittableRandom random = new SplittableRandom(SEED + rows);
    int[] pixels = random.ints((long) images * height * width * CHANNELS, -50, 50).toArray();
    int[] weights = random.ints((long) rows * columns * CHANNELS, -9, 9).toArray();
    int outHeight = (height + 2 * pad - dilation * (rows - 1) - 1) / stride + 1;
    int outWidth = (width + 2 * pad - dilation * (columns - 1) - 1) / stride + 1;
    int total = images * outHeight * outWidth;
    MemorySegment map = map();
    // The base of the filter goes from -pad to where its last step begins.
    int[] upper = {
      (outWidth - 1) * stride - pad - width + 1, (outHeight - 1) * stride - pad - height + 1
    };
    ok(
        cuda_h.cuTensorMapEncodeIm2col(
            map,
            INT32,
            4,
            MemorySegment.ofAddress(ints(pixels)),
            longs(CHANNELS, width, height, images),
            longs(4L * CHANNELS, 4L * CHANNELS * width, 4L * CHANNELS * width * height),
            ints32(-pad, -pad),
            ints32(upper),
            CHANNELS,
            PIXELS,
            ints32(1, stride, stride, 1),
            0,
            0,
            0,
            0));
    long out = ints(new int[total]);
    MemorySegment numbers =
        ints32(total, outHeight, outWidth, rows, columns, stride, pad, dilation);
    MemorySegment[] parameters = new MemorySegment[11];
    parameters[0] = map;
    parameters[1] = longs(ints(weights));
    parameters[2] = longs(out);
    for (int k = 0; k < 8; k++) {
      parameters[3 + k] = numbers.asSlice(4L * k);
    }
    launch(kernelOf("convolve"), (total + PIXELS - 1) / PIXELS, PIXELS, parameters);
    int[] want = new int[total];
    for (int m = 0; m < total; m++) {
      int q = m % outWidth;
      int p = m / outWidth % outHeight;
      int n = m / outWidth / outHeight;
      for (int r = 0; r < rows; r++) {
        for (int s = 0; s < columns; s++) {
          int y = p * stride - pad + r * dilation;
          int x = q * stride - pad + s * dilation;
          for (int c = 0; c < CHANNELS && y >= 0 && y < height && x >= 0 && x < width; c++) {
            want[m] +=
                pixels[((n * height + y) * width + x) * CHANNELS + c]
                    * weights[(r * columns + s) * CHANNELS + c];
          }
        }
      }
    }
    assertThat(read(out, total)).as("seed %d", SEED).isEqualTo(want);
  }

  @Test
  void makesAMapForEachBlock() {
    SplittableRandom random = new SplittableRandom(SEED);
    int[] rows = {8, 3, 1, 5};
    long[] tensors = new long[4];
    int[] want = new int[4 * 8 * 32];
    for (int k = 0; k < 4; k++) {
      int[] matrix = random.ints(rows[k] * 32L).toArray();
      tensors[k] = ints(matrix);
      System.arraycopy(matrix, 0, want, k * 8 * 32, matrix.length);
    }
    int[] addresses = new int[8];
    Arrays.setAll(addresses, k -> (int) (tensors[k / 2] >>> 32 * (k % 2)));
    long out = ints(new int[want.length]);
    long maps = ints(new int[4 * 32]);
    launch(
        kernelOf("moved"),
        4,
        32,
        rowsOf(0x1000, 100, 8, 3),
        longs(maps),
        longs(ints(addresses)),
        longs(ints(rows)),
        longs(out));
    assertThat(read(out, want.length)).as("seed %d", SEED).isEqualTo(want);
  }
}
