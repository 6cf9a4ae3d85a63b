package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels for tensor cores as nvcc compiles them, against products in plain Java. */
final class TensorKernelTest {
  private final Device device = new Device(1);
  private final Random random = new Random(51);

  @AfterEach
  void close() {
    device.close();
  }

  private KernelCode kernel(String variant, String name) {
    return Objects.requireNonNull(device.loadResource("tensor_" + variant + ".ptx").kernel(name));
  }

  private short[] halves(int n) {
    short[] v = new short[n];
    for (int k = 0; k < n; k++) {
      v[k] = Float.floatToFloat16(random.nextInt(17) - 8);
    }
    return v;
  }

  private static float f(short half) {
    return Float.float16ToFloat(half);
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "lines"})
  void multipliesFragments(String variant) {
    int depth = 48;
    short[] a = halves(16 * depth);
    short[] b = halves(16 * depth);
    Allocation c = device.allocate(16 * 16 * 4);
    device.launch(kernel(variant, "fragments"), 1, 32, c, device.of(a), device.of(b), depth);
    float[] got = Device.floats(c);
    for (int row = 0; row < 16; row++) {
      for (int column = 0; column < 16; column++) {
        float want = 1;
        for (int k = 0; k < depth; k++) {
          want += f(a[row * depth + k]) * f(b[column * depth + k]);
        }
        assertThat(got[row * 16 + column]).isEqualTo(2 * want);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "lines"})
  void multipliesBytesInOtherOrders(String variant) {
    byte[] a = new byte[16 * 16];
    byte[] b = new byte[16 * 48];
    random.nextBytes(a);
    random.nextBytes(b);
    Allocation c = device.allocate(8 * 32 * 4);
    device.launch(
        kernel(variant, "bytes"), 1, 32, c, device.of(shorts(a)), c, device.of(shorts(b)));
    int[] got = Device.ints(c);
    for (int row = 0; row < 8; row++) {
      for (int column = 0; column < 32; column++) {
        int want = 5;
        for (int k = 0; k < 16; k++) {
          want += a[k * 16 + row] * b[k * 48 + column];
        }
        assertThat(got[column * 8 + row]).as("%d %d", row, column).isEqualTo(want);
      }
    }
  }

  private static short[] shorts(byte[] bytes) {
    short[] s = new short[bytes.length / 2];
    for (int k = 0; k < s.length; k++) {
      s[k] = (short) (bytes[2 * k] & 0xff | bytes[2 * k + 1] << 8);
    }
    return s;
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "lines"})
  void multipliesWhatLdmatrixLoads(String variant) {
    short[] a = halves(16 * 8);
    short[] b = halves(8 * 8);
    Allocation c = device.allocate(16 * 8 * 4);
    device.launch(kernel(variant, "by_hand"), 1, 32, c, device.of(a), device.of(b));
    float[] got = Device.floats(c);
    for (int row = 0; row < 16; row++) {
      for (int column = 0; column < 8; column++) {
        float want = 0;
        for (int k = 0; k < 8; k++) {
          want += f(a[row * 8 + k]) * f(b[k * 8 + column]);
        }
        assertThat(got[row * 8 + column]).isEqualTo(want);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"90", "100", "lines"})
  void sumsOneStageWhileTheNextIsOnItsWay(String variant) {
    float[] in = new float[6 * 128];
    for (int k = 0; k < in.length; k++) {
      in[k] = random.nextInt(1000);
    }
    Allocation out = device.allocate(128 * 4);
    device.launch(kernel(variant, "stages"), 1, 128, out, device.of(in), 6);
    float[] got = Device.floats(out);
    for (int t = 0; t < 128; t++) {
      float want = 0;
      for (int k = 0; k < 6; k++) {
        want += in[k * 128 + (t + 1) % 128];
      }
      assertThat(got[t]).isEqualTo(want);
    }
  }
}
