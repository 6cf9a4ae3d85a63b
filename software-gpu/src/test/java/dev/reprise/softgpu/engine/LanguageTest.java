package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls, objects, local memory, constants, printing and allocation as nvcc compiles them: for both
 * of its code generators, for debugging, and with lines of the source. Both ways of execution.
 */
final class LanguageTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private LoadedModule module(String variant) {
    return device.loadResource("language_" + variant + ".ptx");
  }

  private interface Reader<T> {
    T read(Allocation out);
  }

  /** Runs in both ways and returns what both gave. */
  private <T> T run(
      String variant,
      String name,
      int grid,
      int block,
      int outBytes,
      Reader<T> reader,
      Object... arguments) {
    KernelCode kernel = Objects.requireNonNull(module(variant).kernel(name));
    T known = null;
    for (Execution e : new Execution[] {Execution.INTERPRETED, Execution.COMPILED}) {
      Allocation out = device.allocate(outBytes);
      Object[] all = new Object[arguments.length + 1];
      all[0] = out;
      System.arraycopy(arguments, 0, all, 1, arguments.length);
      int shared = name.equals("local") ? 4 * block : 0;
      try (Engine engine = new Engine(device.memory, 2, e)) {
        Device.launch(engine, kernel, Dim3.of(grid), Dim3.of(block), shared, all);
      }
      T got = reader.read(out);
      if (known != null) {
        assertThat(got).as("%s of %s", e, name).isEqualTo(known);
      }
      known = got;
    }
    return Objects.requireNonNull(known);
  }

  private static int fibonacci(int n) {
    int a = 0;
    int b = 1;
    for (int k = 0; k < n; k++) {
      int next = a + b;
      a = b;
      b = next;
    }
    return a;
  }

  private static int chain(int[] from, int depth) {
    int[] own = new int[4];
    for (int k = 0; k < 4; k++) {
      own[k] = from[(k + depth) & 3] + k;
    }
    return (depth == 0 ? 0 : chain(own, depth - 1)) + own[depth & 3] * (depth + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void callsFunctionsThatCallThemselves(String variant) {
    int[] in = new int[96];
    for (int k = 0; k < in.length; k++) {
      in[k] = k * 29 % 41;
    }
    int[] got = run(variant, "recursion", 2, 48, 96 * 4, Device::ints, device.of(in));
    for (int t = 0; t < 96; t++) {
      int want = fibonacci(in[t] % 12) + (t % 3 == 0 && in[t] % 7 % 2 == 0 ? 1000 : 0);
      want += 100_000 * (chain(new int[] {in[t], in[t] * 2, 3, t}, t % 5) & 63);
      assertThat(got[t]).as("thread %d", t).isEqualTo(want);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void callsFunctionsByAddress(String variant) {
    float[] a = new float[64];
    float[] b = new float[64];
    int[] which = new int[64];
    for (int k = 0; k < 64; k++) {
      a[k] = 1 + k % 5 * 0.5f;
      b[k] = 1 + k % 4;
      which[k] = k * 7 % 11;
    }
    float[] got =
        run(
            variant,
            "pointers",
            1,
            64,
            256,
            Device::floats,
            device.of(a),
            device.of(b),
            device.of(which));
    for (int t = 0; t < 64; t++) {
      float want =
          switch (which[t] & 3) {
            case 0 -> a[t] + b[t];
            case 1 -> a[t] - b[t];
            case 2 -> a[t] * b[t];
            default -> (float) Math.pow(a[t], b[t]);
          };
      assertThat(got[t]).as("thread %d", t).isEqualTo(want + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void callsVirtualMethods(String variant) {
    float[] in = new float[70];
    for (int k = 0; k < in.length; k++) {
      in[k] = k * 0.25f;
    }
    float[] got = run(variant, "objects", 2, 35, 280, Device::floats, device.of(in));
    for (int t = 0; t < 70; t++) {
      float x = in[t];
      float want = x < 5 ? x * x * 2 + x * x + 1 : x + 2 + x * 3 + 2;
      assertThat(got[t]).isEqualTo(want);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void passesAndReturnsStructs(String variant) {
    ByteBuffer b = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    b.putDouble(1.5).putInt(100);
    for (int k = 0; k < 5; k++) {
      b.putShort((short) (k + 1));
    }
    double[] got = run(variant, "structs", 1, 40, 320, Device::doubles, b.array());
    for (int t = 0; t < 40; t++) {
      int by = t % 4 + 1;
      int c = (t % 5 + 2 + by) % 5 + 1;
      assertThat(got[t]).isEqualTo(1.5 * by * 2 + (100 - by - 2) * 10. + c * 1000.);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void readsConstantsThatHoldAddresses(String variant) {
    int[] got = run(variant, "constants", 1, 12, 48, Device::ints);
    int[] numbers = {33, 11, 44};
    int[] halves = {1, 65535, 7};
    for (int t = 0; t < 12; t++) {
      assertThat(got[t])
          .isEqualTo(numbers[t % 3] + "warp".charAt(t % 4) * 100 + halves[t % 3] * 100_000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "90", "100", "debug", "lines"})
  void keepsLocalArraysAndNestedScopesApart(String variant) {
    int[] got = run(variant, "local", 1, 128, 512, Device::ints, 32);
    for (int t = 0; t < 128; t++) {
      int other = (t + 1) % 128;
      int[] stack = new int[32];
      for (int k = 0; k < 32; k++) {
        stack[(k * 7 + other) & 31] = k * other;
      }
      assertThat(got[t]).isEqualTo(6 + stack[(3 * other) & 31]);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "100", "debug"})
  void printsInTheOrderOfTheBlocks(String variant) {
    StringBuilder printed = new StringBuilder();
    device.engine.output().redirect(printed::append);
    KernelCode kernel = Objects.requireNonNull(module(variant).kernel("print"));
    device.launch(kernel, 6, 33, 3, 1.25f);
    assertThat(printed).isEmpty();
    device.engine.output().flush();
    StringBuilder want = new StringBuilder();
    for (int block = 0; block < 6; block++) {
      for (int t = 0; t < 3; t++) {
        want.append(
            String.format(
                Locale.ROOT,
                "block %d thread %2d: %5.2f %s %s %c%% %d%n",
                block,
                t,
                1.25 * t,
                t % 2 == 0 ? "even" : "odd",
                t == 0 ? "0" : "0x" + Integer.toHexString(16 * t),
                'a' + t,
                1L << 32 + t));
      }
    }
    assertThat(printed.toString()).isEqualTo(want.toString().replace(System.lineSeparator(), "\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "100", "debug"})
  void allocatesUpToTheLimitOfTheHeap(String variant) {
    KernelCode kernel = Objects.requireNonNull(module(variant).kernel("allocate"));
    Allocation out = device.allocate(64 * 4);
    device.launch(kernel, 2, 32, out, 256);
    for (int t = 0; t < 64; t++) {
      assertThat(Device.ints(out)[t]).isEqualTo(64 * t + 63 * 32);
    }
    assertThat(device.engine.heap().used()).isZero();
    device.engine.heap().limit(1000);
    device.launch(kernel, 1, 4, out, 256);
    assertThat(Device.ints(out)).startsWith(2016, 64 + 2016, 128 + 2016, -1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"75", "100", "debug", "lines"})
  void reportsAnAssertion(String variant) {
    KernelCode kernel = Objects.requireNonNull(module(variant).kernel("check"));
    Allocation out = device.allocate(64 * 4);
    device.launch(kernel, 1, 64, out, 64);
    assertThatThrownBy(() -> device.launch(kernel, 1, 64, out, 40))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(710))
        .hasMessageContaining("language.cu:")
        .hasMessageContaining("(int)threadIdx.x < limit")
        .hasMessageContaining("thread (40, 0, 0)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"debug", "lines"})
  void namesTheLineOfTheSource(String variant) {
    KernelCode kernel = Objects.requireNonNull(module(variant).kernel("fault"));
    Allocation out = device.allocate(64);
    String source = Device.resource("language.cu");
    int line = (int) source.substring(0, source.indexOf("out[at] = 2")).lines().count();
    assertThatThrownBy(() -> device.launch(kernel, 1, 32, out, 1 << 20))
        .isInstanceOf(DeviceFault.class)
        .hasMessageContaining("(language.cu:" + line + ")");
  }
}
