package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Matrix instructions against sums of products, with fragments laid out by the conditions of the
 * manual as it writes them, element by element.
 */
final class MatrixMultiplyTest {
  private final Device device = new Device(1);
  private final Random random = new Random(31);

  @AfterEach
  void close() {
    device.close();
  }

  private static int bits(String type) {
    return switch (type) {
      case "b1" -> 1;
      case "s4", "u4" -> 4;
      case "s8", "u8", "e4m3", "e5m2" -> 8;
      case "f16", "bf16" -> 16;
      case "f64" -> 64;
      default -> 32;
    };
  }

  private static long encode(String type, int v) {
    return switch (type) {
      case "f16" -> Float.floatToFloat16(v) & 0xffff;
      case "bf16" -> Float.floatToRawIntBits(v) >>> 16;
      case "f32", "tf32" -> Float.floatToRawIntBits(v) & 0xffff_ffffL;
      case "f64" -> Double.doubleToRawLongBits(v);
      // 0, 1, 2 and their negatives.
      case "e4m3" -> (v < 0 ? 0x80 : 0) | (v == 0 ? 0 : Math.abs(v) == 1 ? 0x38 : 0x40);
      case "e5m2" -> (v < 0 ? 0x80 : 0) | (v == 0 ? 0 : Math.abs(v) == 1 ? 0x3c : 0x40);
      default -> v & (1L << bits(type)) - 1;
    };
  }

  private int random(String type) {
    return switch (type) {
      case "b1" -> random.nextInt(2);
      case "u4", "u8" -> random.nextInt(1 << bits(type));
      case "s4", "s8" -> random.nextInt(1 << bits(type)) - (1 << bits(type) - 1);
      default -> random.nextInt(5) - 2;
    };
  }

  private static double decode(String type, long bits) {
    return switch (type) {
      case "f16" -> Float.float16ToFloat((short) bits);
      case "f32" -> Float.intBitsToFloat((int) bits);
      case "f64" -> Double.longBitsToDouble(bits);
      default -> (int) bits;
    };
  }

  /** Row of element i of a lane's fragment of a, as the manual has it. */
  private static int rowOfA(int m, int k, String t, int group, int i) {
    if (m == 8) {
      return group;
    }
    int per = 32 / Math.min(32, bits(t));
    boolean first =
        switch (per) {
          case 1 -> i % 2 == 0;
          case 2 -> (0 <= i && i < 2) || (4 <= i && i < 6);
          case 4 -> (0 <= i && i < 4) || (8 <= i && i < 12);
          case 8 -> (0 <= i && i < 8) || (16 <= i && i < 24);
          default -> i < 32 || (64 <= i && i < 96);
        };
    return first ? group : group + 8;
  }

  private static int columnOfA(int m, String t, int thread, int i) {
    if (bits(t) == 64 || bits(t) == 32) {
      return m == 8 ? thread : thread + 4 * (i / 2);
    }
    int per = 32 / bits(t);
    int half = m == 8 ? per : 2 * per;
    return thread * per + (i & per - 1) + (i < half ? 0 : 4 * per);
  }

  private static int rowOfB(String t, int thread, int i) {
    if (bits(t) >= 32) {
      return thread + 4 * i;
    }
    int per = 32 / bits(t);
    return thread * per + (i & per - 1) + (i < per ? 0 : 4 * per);
  }

  private record Kernel(String text, int[] counts) {}

  private static String names(String prefix, int n) {
    StringBuilder s = new StringBuilder("{");
    for (int k = 0; k < n; k++) {
      s.append(k == 0 ? "" : ", ").append(prefix).append(k);
    }
    return s.append("}").toString();
  }

  /** Loads 64-bit words of each lane into the registers of a, b and c; stores those of d. */
  private static Kernel kernel(String instruction, String[] types, int[] elements) {
    int[] counts = new int[4];
    StringBuilder load = new StringBuilder();
    String[] prefixes = {"%d", "%a", "%b", "%c"};
    int at = 0;
    StringBuilder registers = new StringBuilder();
    for (int x = 0; x < 4; x++) {
      int width = Math.max(32, bits(types[x]));
      counts[x] = elements[x] * bits(types[x]) / 32 / width;
      String type = types[x].equals("f64") ? "f64" : types[x].equals("f32") ? "f32" : "b32";
      registers.append(String.format(".reg .%s %s<%d>; ", type, prefixes[x], counts[x]));
      for (int r = 0; x > 0 && r < counts[x]; r++) {
        load.append(
            String.format("ld.global.%s %s%d, [%%p+%d];%n", type, prefixes[x], r, 8 * at++));
      }
    }
    StringBuilder store = new StringBuilder();
    String type = types[0].equals("f64") ? "f64" : types[0].equals("f32") ? "f32" : "b32";
    for (int r = 0; r < counts[0]; r++) {
      store.append(String.format("st.global.%s [%%o+%d], %%d%d;%n", type, 8 * r, r));
    }
    String text =
        ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out) {\n"
            + registers
            + ".reg .u64 %p, %o; .reg .u32 %t; mov.u32 %t, %tid.x;\n"
            + "ld.param.u64 %p, [in]; mad.wide.u32 %p, %t, 512, %p;\n"
            + "ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 512, %o;\n"
            + load
            + String.format(
                "%s %s, %s, %s, %s;%n",
                instruction,
                names("%d", counts[0]),
                names("%a", counts[1]),
                names("%b", counts[2]),
                names("%c", counts[3]))
            + store
            + "ret; }";
    return new Kernel(text, counts);
  }

  private static void put(long[] lane, int from, String type, int element, long bits) {
    int width = Math.max(32, bits(type));
    int register = element * bits(type) / width;
    lane[from + register] |= bits << element * bits(type) % width;
  }

  private static long get(long[] lane, String type, int element) {
    int width = Math.max(32, bits(type));
    long register = lane[element * bits(type) / width];
    long word = register >>> element * bits(type) % width;
    return bits(type) == 64 ? word : word & (1L << bits(type)) - 1;
  }

  private static int wrap(double v) {
    return (int) (long) v;
  }

  @ParameterizedTest
  @CsvSource({
    "16,8,8,f16,f16,f16,f16", "16,8,16,f16,f16,f16,f16", "16,8,8,f32,f16,f16,f32",
    "16,8,16,f32,f16,f16,f32", "16,8,8,f32,bf16,bf16,f32", "16,8,16,f32,bf16,bf16,f32",
    "16,8,4,f32,tf32,tf32,f32", "16,8,8,f32,tf32,tf32,f32", "8,8,4,f64,f64,f64,f64",
    "16,8,4,f64,f64,f64,f64", "16,8,8,f64,f64,f64,f64", "16,8,16,f64,f64,f64,f64",
    "8,8,16,s32,s8,u8,s32", "16,8,16,s32,u8,s8,s32", "16,8,32,s32,s8,s8,s32",
    "8,8,32,s32,s4,u4,s32", "16,8,32,s32,u4,s4,s32", "16,8,64,s32,s4,s4,s32",
    "16,8,16,f32,e4m3,e5m2,f32", "16,8,32,f32,e5m2,e4m3,f32", "16,8,32,f16,e4m3,e4m3,f16",
    "8,8,128,s32,b1,b1,s32", "16,8,128,s32,b1,b1,s32", "16,8,256,s32,b1,b1,s32"
  })
  void multipliesEveryShape(int m, int n, int k, String td, String ta, String tb, String tc) {
    String[] types = {td, ta, tb, tc};
    boolean bit = ta.equals("b1");
    String form =
        String.format(
            Locale.ROOT,
            "mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s%s",
            m,
            n,
            k,
            td,
            ta,
            tb,
            tc,
            bit ? ".xor.popc" : "");
    Kernel kernel = kernel(form, types, new int[] {m * n, m * k, k * n, m * n});
    int[][] a = new int[m][k];
    int[][] b = new int[k][n];
    int[][] c = new int[m][n];
    fill(a, ta);
    fill(b, tb);
    fill(c, tc.equals("s32") ? "s8" : tc);
    long[] in = new long[32 * 64];
    for (int lane = 0; lane < 32; lane++) {
      long[] words = new long[64];
      int group = lane >> 2;
      int thread = lane % 4;
      for (int i = 0; i < m * k / 32; i++) {
        put(
            words,
            0,
            ta,
            i,
            encode(ta, a[rowOfA(m, k, ta, group, i)][columnOfA(m, ta, thread, i)]));
      }
      for (int i = 0; i < k * n / 32; i++) {
        put(words, kernel.counts[1], tb, i, encode(tb, b[rowOfB(tb, thread, i)][group]));
      }
      for (int i = 0; i < m * n / 32; i++) {
        int row = i < 2 ? group : group + 8;
        put(
            words,
            kernel.counts[1] + kernel.counts[2],
            tc,
            i,
            encode(tc, c[row][thread * 2 + (i & 1)]));
      }
      System.arraycopy(words, 0, in, lane * 64, 64);
    }
    long[] out = run(kernel.text, in);
    for (int lane = 0; lane < 32; lane++) {
      long[] words = java.util.Arrays.copyOfRange(out, lane * 64, lane * 64 + 64);
      for (int i = 0; i < m * n / 32; i++) {
        int row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
        int column = lane % 4 * 2 + (i & 1);
        long want = c[row][column];
        for (int x = 0; x < k; x++) {
          want += bit ? a[row][x] ^ b[x][column] : (long) a[row][x] * b[x][column];
        }
        assertThat(decode(td, get(words, td, i)))
            .as("%s lane %d element %d", form, lane, i)
            .isEqualTo((double) want);
      }
    }
  }

  private void fill(int[][] m, String type) {
    for (int[] row : m) {
      for (int x = 0; x < row.length; x++) {
        row[x] = random(type);
      }
    }
  }

  private long[] run(String text, long[] in) {
    KernelCode code = Objects.requireNonNull(device.load(text).kernel("k"));
    Allocation out = device.allocate(in.length * 8L);
    device.launch(code, 1, 32, device.of(in), out);
    return Device.longs(out);
  }

  /** The oldest shape: four products, each by two quads of lanes, in any order of a and b. */
  @ParameterizedTest
  @CsvSource({"row,col,f32", "col,row,f32", "row,row,f16", "col,col,f16"})
  void multipliesByQuads(String orderA, String orderB, String sum) {
    String form =
        String.format(
            Locale.ROOT, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s", orderA, orderB, sum, sum);
    Kernel kernel =
        kernel(form, new String[] {sum, "f16", "f16", sum}, new int[] {256, 128, 128, 256});
    int[][] a = new int[32][4];
    int[][] b = new int[16][8];
    fill(a, "f16");
    fill(b, "f16");
    long[] in = new long[32 * 64];
    for (int lane = 0; lane < 32; lane++) {
      long[] words = new long[64];
      int quad = lane / 4 % 4;
      int upper = lane < 16 ? 0 : 4;
      for (int i = 0; i < 4; i++) {
        int row = orderA.equals("row") ? lane % 4 + upper : i % 4 + upper;
        int column = orderA.equals("row") ? i : lane % 4;
        put(words, 0, "f16", i, encode("f16", a[quad * 8 + row][column]));
        int rowB = orderB.equals("row") ? lane % 4 : i;
        int columnB = orderB.equals("row") ? i + upper : lane % 4 + upper;
        put(words, 2, "f16", i, encode("f16", b[quad * 4 + rowB][columnB]));
      }
      System.arraycopy(words, 0, in, lane * 64, 64);
    }
    long[] out = run(kernel.text, in);
    for (int lane = 0; lane < 32; lane++) {
      long[] words = java.util.Arrays.copyOfRange(out, lane * 64, lane * 64 + 64);
      int quad = lane / 4 % 4;
      int upper = lane < 16 ? 0 : 4;
      for (int i = 0; i < 8; i++) {
        int row = sum.equals("f16") ? lane % 4 + upper : (lane & 1) + (i & 2) + upper;
        int column = sum.equals("f16") ? i : (i & 4) + (lane & 2) + (i & 1);
        int want = 0;
        for (int x = 0; x < 4; x++) {
          want += a[quad * 8 + row][x] * b[quad * 4 + x][column];
        }
        assertThat(decode(sum, get(words, sum, i)))
            .as("%s lane %d, %d", form, lane, i)
            .isEqualTo(want);
      }
    }
  }

  @Test
  void clampsOrWrapsIntegerSums() {
    for (boolean clamp : new boolean[] {false, true}) {
      String form =
          "mma.sync.aligned.m8n8k16.row.col" + (clamp ? ".satfinite" : "") + ".s32.s8.s8.s32";
      Kernel kernel =
          kernel(form, new String[] {"s32", "s8", "s8", "s32"}, new int[] {64, 128, 128, 64});
      long[] in = new long[32 * 64];
      for (int lane = 0; lane < 32; lane++) {
        in[lane * 64] = 0x7f7f7f7f;
        in[lane * 64 + 1] = 0x7f7f7f7f;
        in[lane * 64 + 2] = Integer.MAX_VALUE - 5;
        in[lane * 64 + 3] = 7;
      }
      long[] out = run(kernel.text, in);
      int product = 16 * 127 * 127;
      assertThat((int) out[0])
          .isEqualTo(clamp ? Integer.MAX_VALUE : wrap((double) Integer.MAX_VALUE - 5 + product));
      assertThat((int) out[1]).isEqualTo(7 + product);
    }
  }
}
