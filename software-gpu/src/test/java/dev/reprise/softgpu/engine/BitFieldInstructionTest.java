package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bit-field, permute and dot-product instructions against bit-by-bit definitions. */
final class BitFieldInstructionTest {
  private final Device device = new Device(2);
  private final Random random = new Random(77);

  @AfterEach
  void close() {
    device.close();
  }

  private interface Formula {
    long apply(long a, long b, long c);
  }

  private void check(
      String instruction, String type, List<Snippet.Row> rows, Formula formula, String... types) {
    long[] got = Snippet.run(device, instruction + ";", type, rows, types);
    long mask = type.endsWith("64") ? -1 : 0xffff_ffffL;
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      assertThat(got[k] & mask)
          .as("%s of %x, %x, %x", instruction, o[0], o[1], o[2])
          .isEqualTo(formula.apply(o[0], o[1], o[2]) & mask);
    }
  }

  private List<Snippet.Row> fields() {
    List<Snippet.Row> rows = new ArrayList<>();
    int[] edges = {0, 1, 5, 16, 31, 32, 33, 63, 64, 65, 255, 256, 300};
    for (int p : edges) {
      for (int n : edges) {
        rows.add(new Snippet.Row(random.nextLong(), p, n));
      }
    }
    return rows;
  }

  private static long extract(long a, int position, int length, int width, boolean signed) {
    int pos = position & 255;
    int len = length & 255;
    long r = 0;
    boolean sign = signed && len > 0 && (a >>> Math.min(pos + len - 1, width - 1) & 1) != 0;
    for (int k = 0; k < width; k++) {
      boolean bit = k < len && pos + k < width ? (a >>> pos + k & 1) != 0 : sign;
      r |= bit ? 1L << k : 0;
    }
    return r;
  }

  @Test
  void extractsFields() {
    for (int width : new int[] {32, 64}) {
      for (String sign : new String[] {"u", "s"}) {
        check(
            "bfe." + sign + width + " %d, %a, %b, %c",
            "b" + width,
            fields(),
            (a, p, n) ->
                extract(
                    width == 32 ? a & 0xffff_ffffL : a, (int) p, (int) n, width, sign.equals("s")),
            "b" + width,
            "u32",
            "u32");
      }
    }
  }

  @Test
  void insertsFields() {
    for (int width : new int[] {32, 64}) {
      List<Snippet.Row> rows = new ArrayList<>();
      for (Snippet.Row r : fields()) {
        rows.add(
            new Snippet.Row(r.operands()[0], random.nextLong(), r.operands()[1], r.operands()[2]));
      }
      long[] got =
          Snippet.run(
              device,
              "bfi.b" + width + " %d, %a, %b, %c, %e;",
              "b" + width,
              rows,
              "b" + width,
              "b" + width,
              "u32",
              "u32");
      for (int k = 0; k < rows.size(); k++) {
        long[] o = rows.get(k).operands();
        long want = o[1];
        for (int bit = 0; bit < ((int) o[3] & 255) && bit + ((int) o[2] & 255) < width; bit++) {
          long at = 1L << bit + ((int) o[2] & 255);
          want = (o[0] >>> bit & 1) != 0 ? want | at : want & ~at;
        }
        long mask = width == 64 ? -1 : 0xffff_ffffL;
        assertThat(got[k] & mask).as("row %d", k).isEqualTo(want & mask);
      }
    }
  }

  private List<Snippet.Row> words(int n) {
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < n; k++) {
      rows.add(
          new Snippet.Row(
              random.nextLong() & 0xffff_ffffL,
              random.nextLong() & 0xffff_ffffL,
              random.nextLong() & 0xffff_ffffL));
    }
    return rows;
  }

  @Test
  void permutesBytes() {
    check(
        "prmt.b32 %d, %a, %b, %c",
        "b32",
        words(200),
        (a, b, c) -> {
          long r = 0;
          for (int k = 0; k < 4; k++) {
            int nibble = (int) (c >>> 4 * k) & 15;
            int index = nibble & 7;
            long value = (index < 4 ? a >>> 8 * index : b >>> 8 * (index - 4)) & 0xff;
            r |= ((nibble & 8) == 0 ? value : value >= 128 ? 0xff : 0) << 8 * k;
          }
          return r;
        },
        "b32",
        "b32",
        "b32");
  }

  @Test
  void permutesForwardFromAnOffset() {
    check(
        "prmt.b32.f4e %d, %a, %b, %c",
        "b32", words(50), (a, b, c) -> (a | b << 32) >>> 8 * (c & 3), "b32", "b32", "b32");
  }

  @Test
  void appliesTruthTables() {
    check(
        "lop3.b32 %d, %a, %b, %c, 0x1a",
        "b32", words(50), (a, b, c) -> table(a, b, c, 0x1a), "b32", "b32", "b32");
    check(
        "lop3.b32 %d, %a, %b, %c, 0xe8",
        "b32", words(50), (a, b, c) -> a & b | a & c | b & c, "b32", "b32", "b32");
    check(
        "lop3.b32 %d, %a, %b, %c, 0x96",
        "b32", words(50), (a, b, c) -> a ^ b ^ c, "b32", "b32", "b32");
    check(
        "lop3.b32 %d, %a, %b, %c, 0xd8",
        "b32", words(50), (a, b, c) -> c & b | ~c & a, "b32", "b32", "b32");
  }

  private static long table(long a, long b, long c, int bits) {
    long r = 0;
    for (int k = 0; k < 32; k++) {
      int row = (int) ((a >>> k & 1) << 2 | (b >>> k & 1) << 1 | c >>> k & 1);
      r |= (long) (bits >>> row & 1) << k;
    }
    return r;
  }

  @Test
  void shiftsFunnels() {
    check(
        "shf.l.wrap.b32 %d, %a, %b, %c",
        "b32", words(100), (a, b, c) -> (a | b << 32) << (c & 31) >>> 32, "b32", "b32", "b32");
    check(
        "shf.r.wrap.b32 %d, %a, %b, %c",
        "b32", words(100), (a, b, c) -> (a | b << 32) >>> (c & 31), "b32", "b32", "b32");
    check(
        "and.b32 %c, %c, 63; shf.r.clamp.b32 %d, %a, %b, %c",
        "b32",
        words(100),
        (a, b, c) -> (a | b << 32) >>> Math.min(c & 63, 32),
        "b32",
        "b32",
        "b32");
    check(
        "and.b32 %c, %c, 63; shf.l.clamp.b32 %d, %a, %b, %c",
        "b32",
        words(100),
        (a, b, c) -> (c & 63) >= 32 ? a : (a | b << 32) << (c & 63) >>> 32,
        "b32",
        "b32",
        "b32");
  }

  @Test
  void sumsProductsOfBytes() {
    check(
        "dp4a.s32.s32 %d, %a, %b, %c",
        "b32",
        words(100),
        (a, b, c) -> {
          long sum = c;
          for (int k = 0; k < 4; k++) {
            sum += (byte) (a >>> 8 * k) * (byte) (b >>> 8 * k);
          }
          return sum;
        },
        "b32",
        "b32",
        "b32");
    check(
        "dp4a.u32.s32 %d, %a, %b, %c",
        "b32",
        words(100),
        (a, b, c) -> {
          long sum = c;
          for (int k = 0; k < 4; k++) {
            sum += (a >>> 8 * k & 0xff) * (byte) (b >>> 8 * k);
          }
          return sum;
        },
        "b32",
        "b32",
        "b32");
    check(
        "dp2a.hi.s32.u32 %d, %a, %b, %c",
        "b32",
        words(100),
        (a, b, c) -> c + (short) a * (b >>> 16 & 0xff) + (short) (a >>> 16) * (b >>> 24 & 0xff),
        "b32",
        "b32",
        "b32");
  }

  @Test
  void addsDistances() {
    check(
        "sad.u32 %d, %a, %b, %c",
        "b32", words(100), (a, b, c) -> c + Math.abs(a - b), "u32", "u32", "u32");
    check(
        "sad.s32 %d, %a, %b, %c",
        "b32",
        words(100),
        (a, b, c) -> c + Math.abs((long) (int) a - (int) b),
        "s32",
        "s32",
        "s32");
  }

  @Test
  void extendsFromABit() {
    check(
        "and.b32 %b, %b, 31; szext.wrap.s32 %d, %a, %b",
        "b32", words(100), (a, b, c) -> extract(a, 0, (int) b & 31, 32, true), "b32", "u32", "b32");
    check("bmsk.clamp.b32 %d, 3, 9", "b32", words(2), (a, b, c) -> 0xff8, "b32", "u32", "b32");
  }
}
