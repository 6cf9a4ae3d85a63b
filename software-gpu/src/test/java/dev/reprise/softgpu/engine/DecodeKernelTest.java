package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernels of a decode step, from several code generators and flags, against plain Java in
 * double precision.
 */
final class DecodeKernelTest {
  private static final String OPTIMISED = "decode_75.ptx";
  private static final String NEWER = "decode_100.ptx";
  private static final String DEBUG = "decode_debug.ptx";
  private static final String FAST = "decode_fast.ptx";

  private final Device device = new Device(2, Execution.COMPILED);
  private final Random random = new Random(2024);

  @AfterEach
  void close() {
    device.close();
  }

  private KernelCode kernel(String module, String name) {
    return Objects.requireNonNull(device.loadResource(module).kernel(name));
  }

  private float[] reals(int n) {
    float[] v = new float[n];
    for (int k = 0; k < n; k++) {
      v[k] = random.nextFloat() * 2 - 1;
    }
    return v;
  }

  private static short[] halves(float[] v) {
    short[] h = new short[v.length];
    for (int k = 0; k < v.length; k++) {
      h[k] = Float.floatToFloat16(v[k]);
    }
    return h;
  }

  private static double half(short h) {
    return Float.float16ToFloat(h);
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void gathersEmbeddings(String module) {
    short[] table = halves(reals(50 * 72));
    int[] ids = {7, 0, 49};
    Allocation out = device.allocate(3 * 72 * 4);
    device.launch(kernel(module, "embed"), 3, 64, device.of(table), device.of(ids), out, 72);
    float[] got = Device.floats(out);
    for (int r = 0; r < 3; r++) {
      for (int d = 0; d < 72; d++) {
        assertThat((double) got[r * 72 + d]).isEqualTo(half(table[ids[r] * 72 + d]));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void normalises(String module) {
    int dim = 288;
    float[] x = reals(3 * dim);
    float[] w = reals(dim);
    Allocation out = device.allocate(3L * dim * 4);
    device.launch(kernel(module, "rms_norm"), 3, 128, device.of(x), device.of(w), out, dim, 1e-5f);
    float[] got = Device.floats(out);
    for (int r = 0; r < 3; r++) {
      double sum = 0;
      for (int d = 0; d < dim; d++) {
        sum += (double) x[r * dim + d] * x[r * dim + d];
      }
      double scale = 1 / Math.sqrt(sum / dim + 1e-5);
      for (int d = 0; d < dim; d++) {
        assertThat((double) got[r * dim + d])
            .isCloseTo(x[r * dim + d] * scale * w[d], within(2e-6));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void rotatesAndWritesThePagedCache(String module) {
    int heads = 4;
    int kvHeads = 2;
    int dim = 16;
    int page = 4;
    int[] table = {3, 5, 9, 1, 2, 8};
    int[] positions = {9, 5};
    float[] q = reals(2 * heads * dim);
    float[] k = reals(2 * kvHeads * dim);
    float[] v = reals(2 * kvHeads * dim);
    Allocation dq = device.of(q);
    Allocation ck = device.allocate(10L * page * kvHeads * dim * 2);
    Allocation cv = device.allocate(10L * page * kvHeads * dim * 2);
    device.launch(
        kernel(module, "rope_and_store"),
        2,
        64,
        dq,
        device.of(k),
        device.of(v),
        ck,
        cv,
        device.of(table),
        device.of(positions),
        heads,
        kvHeads,
        dim,
        page,
        3,
        10000f);
    double tolerance = module.equals(FAST) ? 2e-5 : 3e-6;
    for (int r = 0; r < 2; r++) {
      int slot = table[r * 3 + positions[r] / page] * page + positions[r] % page;
      for (int h = 0; h < heads; h++) {
        for (int d = 0; d < dim / 2; d++) {
          double angle = positions[r] * Math.pow(10000, -2.0 * d / dim);
          double c = Math.cos(angle);
          double s = Math.sin(angle);
          int at = (r * heads + h) * dim + 2 * d;
          assertThat((double) Device.floats(dq)[at])
              .isCloseTo(q[at] * c - q[at + 1] * s, within(tolerance));
          assertThat((double) Device.floats(dq)[at + 1])
              .isCloseTo(q[at] * s + q[at + 1] * c, within(tolerance));
          if (h < kvHeads) {
            int from = (r * kvHeads + h) * dim + 2 * d;
            int to = (slot * kvHeads + h) * dim + 2 * d;
            assertThat(half(Device.shorts(ck)[to]))
                .isCloseTo(k[from] * c - k[from + 1] * s, within(1e-3));
            assertThat(Device.shorts(cv)[to + 1]).isEqualTo(Float.floatToFloat16(v[from + 1]));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void attendsToThePagedCache(String module) {
    int heads = 4;
    int kvHeads = 2;
    int dim = 48;
    int page = 4;
    int[] table = {3, 5, 9, 1, 2, 8};
    int[] positions = {9, 5};
    float[] q = reals(2 * heads * dim);
    short[] ck = halves(reals(10 * page * kvHeads * dim));
    short[] cv = halves(reals(10 * page * kvHeads * dim));
    Allocation out = device.allocate(2L * heads * dim * 4);
    device.launch(
        kernel(module, "paged_attention"),
        new Dim3(2, heads, 1),
        Dim3.of(32),
        dim * 4,
        device.of(q),
        device.of(ck),
        device.of(cv),
        device.of(table),
        device.of(positions),
        out,
        heads,
        kvHeads,
        dim,
        page,
        3);
    float[] got = Device.floats(out);
    for (int r = 0; r < 2; r++) {
      for (int h = 0; h < heads; h++) {
        double[] want = new double[dim];
        double total = 0;
        for (int t = 0; t <= positions[r]; t++) {
          int slot = table[r * 3 + t / page] * page + t % page;
          int at = (slot * kvHeads + h / 2) * dim;
          double s = 0;
          for (int d = 0; d < dim; d++) {
            s += q[(r * heads + h) * dim + d] * half(ck[at + d]);
          }
          double p = Math.exp(s / Math.sqrt(dim));
          total += p;
          for (int d = 0; d < dim; d++) {
            want[d] += p * half(cv[at + d]);
          }
        }
        for (int d = 0; d < dim; d++) {
          assertThat((double) got[(r * heads + h) * dim + d])
              .isCloseTo(want[d] / total, within(5e-6));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void gates(String module) {
    float[] gate = reals(1000);
    gate[3] = 90;
    gate[4] = -90;
    float[] up = reals(1000);
    Allocation out = device.allocate(4000);
    device.launch(kernel(module, "swiglu"), 8, 128, device.of(gate), device.of(up), out, 1000);
    for (int k = 0; k < 1000; k++) {
      assertThat((double) Device.floats(out)[k])
          .isCloseTo(
              gate[k] / (1 + Math.exp(-gate[k])) * up[k], within(5e-6 + 1e-6 * Math.abs(gate[k])));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void findsTheGreatestLogitAndTheFirstOfEquals(String module) {
    float[] logits = reals(2 * 1000);
    logits[321] = 2;
    logits[700] = 2;
    logits[1000] = -0.5f;
    Allocation out = device.allocate(8);
    device.launch(kernel(module, "argmax"), 2, 256, device.of(logits), out, 1000);
    int best = 1000;
    for (int k = 1000; k < 2000; k++) {
      best = logits[k] > logits[best] ? k : best;
    }
    assertThat(Device.ints(out)).containsExactly(321, best - 1000);
  }

  /** Philox 4x32-10 (Salmon et al., 2011), first word, in long arithmetic. */
  private static long philox(long position, long row, long seed) {
    long[] c = {position & 0xffff_ffffL, position >>> 32, row, 0};
    long k0 = seed & 0xffff_ffffL;
    long k1 = seed >>> 32;
    for (int round = 0; round < 10; round++) {
      long p0 = 0xD2511F53L * c[0];
      long p1 = 0xCD9E8D57L * c[2];
      c =
          new long[] {
            (p1 >>> 32 ^ c[1] ^ k0) & 0xffff_ffffL,
            p1 & 0xffff_ffffL,
            (p0 >>> 32 ^ c[3] ^ k1) & 0xffff_ffffL,
            p0 & 0xffff_ffffL
          };
      k0 = k0 + 0x9E3779B9L & 0xffff_ffffL;
      k1 = k1 + 0xBB67AE85L & 0xffff_ffffL;
    }
    return c[0];
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void samplesByPhiloxAndABlockScan(String module) {
    int n = 500;
    int rows = 20;
    float[] logits = reals(rows * n);
    Allocation out = device.allocate(rows * 4L);
    long seed = 0x1234_5678_9abc_def0L;
    device.launch(kernel(module, "sample"), rows, 128, device.of(logits), out, n, 0.7f, seed, 42L);
    int[] got = Device.ints(out);
    for (int r = 0; r < rows; r++) {
      double total = 0;
      double[] upTo = new double[n];
      for (int k = 0; k < n; k++) {
        total += Math.exp(logits[r * n + k] / 0.7);
        upTo[k] = total;
      }
      double target = (philox(42, r, seed) >>> 8) / 16777216.0 * total;
      int k = got[r];
      // The kernel sums in single precision: a target on the edge may fall to the neighbour.
      assertThat(target)
          .as("row %d", r)
          .isBetween((k == 0 ? 0 : upTo[k - 1]) - total * 1e-5, upTo[k] + total * 1e-5);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void advancesPositions(String module) {
    Allocation positions = device.of(4, 8, 15);
    Allocation ids = device.of(0, 0, 0);
    device.launch(kernel(module, "advance"), 1, 32, positions, ids, device.of(16, 23, 42), 3);
    assertThat(Device.ints(positions)).containsExactly(5, 9, 16);
    assertThat(Device.ints(ids)).containsExactly(16, 23, 42);
  }

  @ParameterizedTest
  @ValueSource(strings = {OPTIMISED, NEWER, DEBUG, FAST})
  void multipliesBfloatTiles(String module) {
    int rows = 10;
    int cols = 200;
    int batch = 3;
    float[] w = reals(rows * cols);
    short[] bits = new short[w.length];
    for (int k = 0; k < w.length; k++) {
      bits[k] = (short) (Float.floatToRawIntBits(w[k]) >>> 16);
    }
    float[] x = reals(batch * cols);
    Allocation y = device.allocate((long) batch * rows * 4);
    device.launch(
        kernel(module, "matmul_bf16"),
        new Dim3(3, 1, 1),
        new Dim3(32, 4, 1),
        0,
        device.of(bits),
        device.of(x),
        y,
        rows,
        cols,
        batch);
    for (int b = 0; b < batch; b++) {
      for (int r = 0; r < rows; r++) {
        double want = 0;
        for (int c = 0; c < cols; c++) {
          want += (double) Float.intBitsToFloat(bits[r * cols + c] << 16) * x[b * cols + c];
        }
        assertThat((double) Device.floats(y)[b * rows + r]).isCloseTo(want, within(2e-5));
      }
    }
  }
}
