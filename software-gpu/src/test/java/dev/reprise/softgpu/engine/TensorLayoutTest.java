package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import dev.reprise.softgpu.memory.Allocation;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How tensors look in shared memory: swizzles of large atoms, packed and rounded elements. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TensorLayoutTest {
  private static final long SEED = 6061;

  private static final String STORE = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";

  /** The places of the chunks of 16 bytes line by line, as the manual draws them. */
  private static final String ATOM_32 = "01234567 23016745 45670123 67452301";

  private static final String ATOM_64 = "01234567 45670123";

  private final TensorKernels kernels = new TensorKernels();

  @AfterEach
  void close() {
    kernels.close();
  }

  private TensorMap map(
      TensorElement type,
      Allocation memory,
      long width,
      long rows,
      int row,
      TensorSwizzle swizzle) {
    return new TensorMap(
        type,
        memory.base(),
        new long[] {width, rows},
        new long[] {memory.size() / rows},
        new int[] {1, 1},
        new TensorRegion.Tile(new int[] {row, (int) Math.min(rows, 16)}),
        swizzle,
        false);
  }

  private static byte[] at(byte[] from, int start, int length) {
    return Arrays.copyOfRange(from, start, start + length);
  }

  @ParameterizedTest
  @CsvSource({
    "B128_ATOM_32, " + ATOM_32 + ", false",
    "B128_ATOM_32_FLIP_8, " + ATOM_32 + ", true",
    "B128_ATOM_64, " + ATOM_64 + ", false"
  })
  void exchangesLargeAtoms(TensorSwizzle swizzle, String places, boolean flips) {
    String[] lines = places.split(" ", -1);
    TensorMap map =
        map(
            TensorElement.U32,
            kernels.memory(new SplittableRandom(SEED), 16 * 128),
            32,
            16,
            32,
            swizzle);
    byte[] from = kernels.content(map);
    for (int start : new int[] {0, 128, 1024 + 384}) {
      byte[] want = TensorKernels.tile();
      for (int line = 0; line < 16; line++) {
        int number = start / 128 + line;
        String order = lines[number % lines.length];
        for (int chunk = 0; chunk < 8; chunk++) {
          // The table tells which chunk is at a place.
          byte[] bytes = at(from, line * 128 + (order.charAt(chunk) - '0') * 16, 16);
          boolean flip = flips && number % 2 == 1;
          System.arraycopy(bytes, flip ? 8 : 0, want, number * 128 + chunk * 16, 8);
          System.arraycopy(bytes, flip ? 0 : 8, want, number * 128 + chunk * 16 + 8, 8);
        }
      }
      String body = TensorKernels.load(2, "+" + start) + TensorKernels.WAIT + TensorKernels.WRITE;
      Allocation out = kernels.device.allocate(TensorKernels.TILE);
      assertThat(kernels.run(Execution.ADAPTIVE, body, map, out, 1, 0, 0))
          .as("at %d", start)
          .isEqualTo(want);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = TensorSwizzle.class,
      names = {"B128_ATOM_32", "B128_ATOM_64"})
  void comesBackFromLargeAtoms(TensorSwizzle swizzle) {
    TensorMap map =
        map(
            TensorElement.U32,
            kernels.memory(new SplittableRandom(SEED), 32 * 128),
            32,
            32,
            32,
            swizzle);
    byte[] from = kernels.content(map);
    String back =
        TensorKernels.load(2, "")
            + TensorKernels.WAIT
            + "@%p1 "
            + STORE
            + " [%rd3, {%r12, %r13}], [%r5];\n"
            + TensorKernels.WAIT_STORE;
    Allocation out = kernels.device.allocate(TensorKernels.TILE);
    kernels.run(Execution.ADAPTIVE, back, map, out, 1, 0, 0, 0, 16);
    byte[] want = from.clone();
    System.arraycopy(from, 0, want, 16 * 128, 16 * 128);
    assertThat(kernels.content(map)).isEqualTo(want);
  }

  /** The bits of an element of a matrix. */
  private static int bits(byte[] from, long at, int count) {
    int value = 0;
    for (int b = 0; b < count; b++) {
      long bit = at + b;
      value |= (from[(int) (bit / 8)] >> bit % 8 & 1) << b;
    }
    return value;
  }

  @Test
  void packsElementsOfFourBits() {
    TensorMap map =
        map(
            TensorElement.U4,
            kernels.memory(new SplittableRandom(SEED), 10 * 64),
            70,
            10,
            64,
            TensorSwizzle.NONE);
    byte[] from = kernels.content(map);
    for (int first : new int[] {0, 16, 38, -6}) {
      byte[] want = TensorKernels.tile();
      Arrays.fill(want, 0, 10 * 32, (byte) 0);
      for (int row = 0; row < 10; row++) {
        for (int k = 0; k < 64; k++) {
          int column = first + k;
          if (column >= 0 && column < 70 && row + 2 < 10) {
            int value = bits(from, ((row + 2) * 64L) * 8 + column * 4L, 4);
            want[row * 32 + k / 2] |= (byte) (value << k % 2 * 4);
          }
        }
      }
      assertThat(kernels.loaded(map, "tile", new int[] {first, 2}, new int[0], 320))
          .as("from %d", first)
          .isEqualTo(want);
    }
    byte[] want = from.clone();
    byte[] tile = TensorKernels.tile();
    for (int row = 0; row < 10; row++) {
      for (int k = 0; k < 64; k++) {
        int at = ((row * 64) * 8 + (k + 16) * 4) / 4;
        if (k + 16 < 70) {
          int value = bits(tile, row * 256L + k * 4L, 4);
          want[at / 2] = (byte) (want[at / 2] & ~(15 << at % 2 * 4) | value << at % 2 * 4);
        }
      }
    }
    store(map, 16, 0);
    assertThat(kernels.content(map)).isEqualTo(want);
  }

  private void store(TensorMap map, int... at) {
    kernels.run(
        Execution.ADAPTIVE,
        TensorKernels.store(STORE, 2) + TensorKernels.WAIT_STORE,
        map,
        kernels.device.allocate(TensorKernels.TILE),
        1,
        at,
        new int[0],
        0);
  }

  @ParameterizedTest
  @CsvSource({"U4_GAP_8, 4", "U6_GAP_4, 6"})
  void leavesGapsBetweenGroups(TensorElement type, int size) {
    SplittableRandom random = new SplittableRandom(SEED);
    int stride = 256 * size / 8;
    for (TensorSwizzle swizzle : new TensorSwizzle[] {TensorSwizzle.NONE, TensorSwizzle.B128}) {
      TensorMap map = map(type, kernels.memory(random, 8L * stride), 256, 8, 128, swizzle);
      byte[] from = kernels.content(map);
      byte[] want = TensorKernels.tile();
      for (int row = 0; row < 8; row++) {
        for (int group = 0; group < 8; group++) {
          int place = swizzle == TensorSwizzle.NONE ? group : group ^ row;
          byte[] bytes = new byte[16];
          Arrays.fill(bytes, 2 * size, 16, (byte) 0xff);
          if (row + 1 < 8) {
            for (int k = 0; k < 16 * size; k++) {
              int bit = bits(from, (row + 1L) * stride * 8 + (128L + group * 16L) * size + k, 1);
              bytes[k / 8] |= (byte) (bit << k % 8);
            }
          }
          System.arraycopy(bytes, 0, want, row * 128 + place * 16, 16);
        }
      }
      assertThat(kernels.loaded(map, "tile", new int[] {128, 1}, new int[0], 1024))
          .as("%s", swizzle)
          .isEqualTo(want);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = TensorSwizzle.class,
      names = {"NONE", "B128_ATOM_64"})
  void packsTheLowSixBitsOfBytes(TensorSwizzle swizzle) {
    TensorMap map =
        map(
            TensorElement.U6_GAP_4,
            kernels.memory(new SplittableRandom(SEED), 8 * 192),
            256,
            8,
            128,
            swizzle);
    byte[] want = kernels.content(map);
    byte[] tile = TensorKernels.tile();
    for (int row = 0; row < 6; row++) {
      for (int k = 0; k < 128; k++) {
        int chunk = swizzle == TensorSwizzle.NONE ? k / 16 : k / 16 ^ row % 2 * 4;
        int value = tile[row * 128 + chunk * 16 + k % 16] & 63;
        for (int b = 0; b < 6; b++) {
          int bit = ((row + 2) * 256 + 128 + k) * 6 + b;
          int mask = 1 << bit % 8;
          want[bit / 8] = (byte) (want[bit / 8] & ~mask | (value >> b & 1) * mask);
        }
      }
    }
    store(map, 128, 2);
    assertThat(kernels.content(map)).isEqualTo(want);
  }

  /** The nearest number of 11 binary digits, the even one of two; by decimal arithmetic. */
  private static float tensorFloat(float v) {
    if (v == 0 || Float.isInfinite(v)) {
      return v;
    }
    int exponent = Math.max(Math.getExponent(v), Float.MIN_EXPONENT) - 10;
    BigDecimal unit =
        exponent >= 0
            ? BigDecimal.valueOf(2).pow(exponent)
            : BigDecimal.ONE.divide(BigDecimal.valueOf(2).pow(-exponent), MathContext.UNLIMITED);
    BigDecimal units = new BigDecimal(v).divide(unit, MathContext.UNLIMITED);
    float rounded = units.setScale(0, RoundingMode.HALF_EVEN).multiply(unit).floatValue();
    return rounded == 0 ? Math.copySign(rounded, v) : rounded;
  }

  private static float flushed(float v) {
    return Math.abs(v) < Float.MIN_NORMAL ? Math.copySign(0, v) : v;
  }

  private static int expected(TensorElement type, int bits) {
    float v = Float.intBitsToFloat(bits);
    boolean rounds = type != TensorElement.F32_FTZ;
    if (Float.isNaN(v)) {
      return rounds ? 0x7fffffff : bits;
    }
    v = type == TensorElement.TF32 ? v : flushed(v);
    return Float.floatToRawIntBits(rounds ? tensorFloat(v) : v);
  }

  /** Edges first, then anything. */
  private static int[] words(int count) {
    int[] words = new SplittableRandom(SEED).ints(count).toArray();
    int[] edges = {
      0,
      1 << 31,
      1,
      0x80000001,
      0x007fffff,
      0x807fffff,
      0x00800000,
      0x7f800000,
      0xff800000,
      0x7f800001,
      0xffc12345,
      0x7f7fffff,
      0x3f801000,
      0x3f803000,
      0x3f801001,
      0x3f800fff,
      0x00001000,
      0x00003000,
      0x00000fff,
      0xbf801000,
      0x7f7fefff,
      0x7f7ff000
    };
    System.arraycopy(edges, 0, words, 0, edges.length);
    for (int k = edges.length; k < 2 * edges.length; k++) {
      words[k] &= 0x807fffff;
    }
    return words;
  }

  @ParameterizedTest
  @EnumSource(
      value = TensorElement.class,
      names = {"F32_FTZ", "TF32", "TF32_FTZ"})
  void roundsWhatItCopies(TensorElement type) {
    int[] words = words(16 * 32);
    TensorMap map = map(type, kernels.device.of(words), 32, 16, 32, TensorSwizzle.NONE);
    byte[] got = kernels.loaded(map, "tile", new int[2], new int[0], 2048);
    int[] want = Arrays.stream(words).map(v -> expected(type, v)).toArray();
    int[] loaded = new int[want.length];
    ByteBuffer.wrap(got).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(loaded);
    assertThat(loaded).isEqualTo(want);
    assertThat(want).isNotEqualTo(words);
    // And to global memory: a map of plain words brings them, the other takes them.
    Allocation to = kernels.device.of(new int[16 * 32]);
    TensorMap plain =
        map(TensorElement.U32, kernels.device.of(words), 32, 16, 32, TensorSwizzle.NONE);
    byte[] second = new byte[TensorMap.BYTES];
    map.at(to.base()).write(java.lang.foreign.MemorySegment.ofArray(second));
    int[] secondWords = new int[second.length / 4];
    ByteBuffer.wrap(second).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(secondWords);
    Allocation out = kernels.device.of(Arrays.copyOf(secondWords, TensorKernels.TILE / 4));
    String body =
        TensorKernels.load(2, "")
            + TensorKernels.WAIT
            + "@%p1 "
            + STORE
            + " [%rd2, {0, 0}], [%r5];\n"
            + TensorKernels.WAIT_STORE;
    kernels.run(Execution.ADAPTIVE, body, plain, out, 1, 0, 0);
    assertThat(Device.ints(to)).isEqualTo(want);
  }

  @ParameterizedTest
  @EnumSource(
      value = TensorElement.class,
      names = {"F32_FTZ", "TF32", "TF32_FTZ"})
  void fillsWithNan(TensorElement type) {
    TensorMap tensor =
        map(type, kernels.device.of(new int[16 * 32]), 32, 16, 32, TensorSwizzle.NONE);
    TensorMap map = TensorKernels.with(tensor, tensor.region(), TensorSwizzle.NONE, true);
    byte[] got = kernels.loaded(map, "tile", new int[] {0, 15}, new int[0], 2048);
    int[] loaded = new int[64];
    ByteBuffer.wrap(got).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(loaded);
    int[] want = new int[64];
    Arrays.fill(want, 32, 64, 0x7fffffff);
    assertThat(loaded).isEqualTo(want);
  }

  /** A product with what lies outside is 0 where the instruction asks for it. */
  @ParameterizedTest
  @CsvSource({"F16, f16", "BF16, bf16"})
  void isTheNanThatFusedOperationsKnow(TensorElement type, String name) {
    TensorMap tensor =
        map(type, kernels.device.of(new int[16 * 8]), 16, 16, 16, TensorSwizzle.NONE);
    TensorMap map = TensorKernels.with(tensor, tensor.region(), TensorSwizzle.NONE, true);
    String body =
        TensorKernels.load(2, "")
            + TensorKernels.WAIT
            + "ld.shared.b16 %rs5, [%r5]; mov.b16 %rs6, 0x3c00;\n"
            + "fma.rn.oob."
            + name
            + " %rs7, %rs5, %rs6, %rs6; fma.rn."
            + name
            + " %rs8, %rs5, %rs6, %rs6;\n"
            + "@%p1 st.shared.v2.b16 [%r5], {%rs7, %rs8}; bar.sync 0;\n"
            + TensorKernels.WRITE;
    Allocation out = kernels.device.allocate(TensorKernels.TILE);
    byte[] got = kernels.run(Execution.ADAPTIVE, body, map, out, 1, 0, 100);
    assertThat(at(got, 0, 4)).containsExactly(0, 0, 0xff, 0x7f);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "U4_GAP_8|NONE|load|64|begins at element 64 of U4_GAP_8, no multiple of 128",
        "U6_GAP_4|NONE|load|-64|begins at element -64 of U6_GAP_4, no multiple of 128",
        "U4|NONE|load|3|begins at element 3 of U4, no multiple of 2",
        "U4_GAP_8|NONE|store|0|stores elements of 4 bits with gaps, which can only be loaded",
        "U6_GAP_4|B128_ATOM_64|load|0|loads elements of 6 bits with a swizzle of 64 bytes",
        "U32|B128_ATOM_32_FLIP_8|store|0|stores with a swizzle that exchanges 8 bytes, which is for loads only",
        "F32_FTZ|NONE|add|0|a tensor of F32_FTZ, which has no such sum",
        "U4|NONE|add|0|a tensor of U4, which has no such sum"
      })
  void reportsMisuse(String what) {
    String[] p = what.split("\\|", -1);
    TensorElement type = TensorElement.valueOf(p[0]);
    int row = type.packed() ? 128 : 32;
    TensorMap map =
        map(type, kernels.device.allocate(16 * 128), row, 16, row, TensorSwizzle.valueOf(p[1]));
    String body =
        switch (p[2]) {
          case "load" -> TensorKernels.load(2, "");
          case "store" -> TensorKernels.store(STORE, 2);
          default ->
              TensorKernels.store(
                  "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group", 2);
        };
    Allocation out = kernels.device.allocate(TensorKernels.TILE);
    assertThatThrownBy(() ->
            kernels.run(
                Execution.ADAPTIVE,
                body,
                map,
                out,
                1,
                new int[] {Integer.parseInt(p[3]), 0},
                new int[0],
                0))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining(p[4]);
  }
}
