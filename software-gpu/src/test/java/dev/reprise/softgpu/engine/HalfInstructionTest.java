package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** f16 and bf16 arithmetic: the result must be the representable value nearest to the exact one. */
final class HalfInstructionTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private interface Exact {
    BigDecimal apply(BigDecimal a, BigDecimal b, BigDecimal c);
  }

  private static float decode(long bits, boolean bfloat) {
    return bfloat ? Float.intBitsToFloat((int) bits << 16) : Float.float16ToFloat((short) bits);
  }

  private static List<Snippet.Row> rows(boolean bfloat) {
    Random r = new Random(5);
    List<Snippet.Row> rows = new ArrayList<>();
    while (rows.size() < 600) {
      long[] o = new long[3];
      for (int k = 0; k < 3; k++) {
        do {
          // Small exponents, so that sums round and products neither overflow nor vanish too often.
          o[k] = bfloat ? 0x3c00 + r.nextInt(0x700) | r.nextInt(2) << 15 : r.nextInt(0x10000);
        } while (Float.isNaN(decode(o[k], bfloat)) || Float.isInfinite(decode(o[k], bfloat)));
      }
      rows.add(new Snippet.Row(o));
    }
    return rows;
  }

  private void check(String op, String operands, boolean bfloat, Exact formula) {
    String type = bfloat ? "bf16" : "f16";
    List<Snippet.Row> rows = rows(bfloat);
    long[] got =
        Snippet.run(
            device, op + "." + type + " %d, " + operands + ";", "b16", rows, "b16", "b16", "b16");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      BigDecimal exact =
          formula.apply(
              new BigDecimal(decode(o[0], bfloat)),
              new BigDecimal(decode(o[1], bfloat)),
              new BigDecimal(decode(o[2], bfloat)));
      long bits = got[k] & 0xffff;
      float result = decode(bits, bfloat);
      String what =
          op
              + "."
              + type
              + " of "
              + Long.toHexString(o[0])
              + ", "
              + Long.toHexString(o[1])
              + ", "
              + Long.toHexString(o[2]);
      if (Float.isInfinite(result)) {
        // Beyond half a unit above the largest finite number.
        assertThat(exact.abs()).as(what).isGreaterThanOrEqualTo(new BigDecimal(65520));
        continue;
      }
      BigDecimal distance = new BigDecimal(result).subtract(exact).abs();
      for (long neighbour : new long[] {bits - 1, bits + 1}) {
        float n = decode(neighbour & 0xffff, bfloat);
        if ((bits & 0x7fff) == 0 || Float.isNaN(n) || Float.isInfinite(n)) {
          continue;
        }
        int order = distance.compareTo(new BigDecimal(n).subtract(exact).abs());
        assertThat(order).as(what + " gave " + result + ", exact " + exact).isLessThanOrEqualTo(0);
        if (order == 0) {
          assertThat(bits & 1).as(what + " is a tie").isZero();
        }
      }
    }
  }

  @Test
  void roundsHalfResultsOnce() {
    check("add", "%a, %b", false, (a, b, c) -> a.add(b));
    check("sub", "%a, %b", false, (a, b, c) -> a.subtract(b));
    check("mul", "%a, %b", false, (a, b, c) -> a.multiply(b));
    check("fma.rn", "%a, %b, %c", false, (a, b, c) -> a.multiply(b).add(c));
  }

  @Test
  void roundsBfloatResultsOnce() {
    check("add", "%a, %b", true, (a, b, c) -> a.add(b));
    check("mul", "%a, %b", true, (a, b, c) -> a.multiply(b));
    check("fma.rn", "%a, %b, %c", true, (a, b, c) -> a.multiply(b).add(c));
  }

  @Test
  void worksOnBothHalvesOfAPair() {
    List<Snippet.Row> rows = rows(false);
    String split = "mov.b32 %x1, {%a, %b}; mov.b32 %x2, {%b, %c}; ";
    for (String op : List.of("add", "mul", "max", "min")) {
      long[] pairs =
          Snippet.run(
              device, split + op + ".f16x2 %d, %x1, %x2;", "b32", rows, "b16", "b16", "b16");
      long[] low = Snippet.run(device, op + ".f16 %d, %a, %b;", "b16", rows, "b16", "b16", "b16");
      long[] high = Snippet.run(device, op + ".f16 %d, %b, %c;", "b16", rows, "b16", "b16", "b16");
      for (int k = 0; k < rows.size(); k++) {
        assertThat(pairs[k] & 0xffff_ffffL).isEqualTo((low[k] & 0xffff) | (high[k] & 0xffff) << 16);
      }
    }
  }

  @Test
  void comparesHalves() {
    List<Snippet.Row> rows = rows(false);
    long[] got =
        Snippet.run(
            device,
            "setp.lt.f16 %p1, %a, %b; selp.u32 %d, 1, 0, %p1;",
            "u32",
            rows,
            "b16",
            "b16",
            "b16");
    long[] set =
        Snippet.run(device, "set.gt.f16.f16 %d, %a, %b;", "b16", rows, "b16", "b16", "b16");
    for (int k = 0; k < rows.size(); k++) {
      float a = decode(rows.get(k).operands()[0], false);
      float b = decode(rows.get(k).operands()[1], false);
      assertThat(got[k]).isEqualTo(a < b ? 1 : 0);
      assertThat(set[k] & 0xffff).isEqualTo(a > b ? 0x3c00 : 0);
    }
  }
}
