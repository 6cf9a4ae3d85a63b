package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code cvt} against BigInteger and BigDecimal. */
final class ConversionTest {
  private static final Map<String, RoundingMode> MODES =
      Map.of(
          "rni",
          RoundingMode.HALF_EVEN,
          "rzi",
          RoundingMode.DOWN,
          "rmi",
          RoundingMode.FLOOR,
          "rpi",
          RoundingMode.CEILING);
  private static final List<String> INTEGERS =
      List.of("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64");
  private final Device device = new Device(2);
  private final Random random = new Random(99);

  @AfterEach
  void close() {
    device.close();
  }

  private static int width(String t) {
    return Integer.parseInt(t.replaceAll("[a-z]", ""));
  }

  private static String register(String t) {
    return "b" + Math.max(16, width(t));
  }

  private static BigInteger value(long bits, String t) {
    BigInteger one = BigInteger.ONE.shiftLeft(width(t));
    BigInteger v = BigInteger.valueOf(bits).mod(one);
    return t.startsWith("s") && v.testBit(width(t) - 1) ? v.subtract(one) : v;
  }

  private static BigInteger clamp(BigInteger v, String t) {
    int w = width(t);
    BigInteger low = t.startsWith("s") ? BigInteger.ONE.shiftLeft(w - 1).negate() : BigInteger.ZERO;
    BigInteger high =
        BigInteger.ONE.shiftLeft(t.startsWith("s") ? w - 1 : w).subtract(BigInteger.ONE);
    return v.max(low).min(high);
  }

  private static BigInteger lowest(String t) {
    return clamp(BigInteger.ONE.shiftLeft(100).negate(), t);
  }

  private static BigInteger highest(String t) {
    return clamp(BigInteger.ONE.shiftLeft(100), t);
  }

  private List<Snippet.Row> integers() {
    List<Snippet.Row> rows = new ArrayList<>();
    for (long v :
        new long[] {
          0,
          1,
          -1,
          127,
          128,
          255,
          256,
          32767,
          32768,
          65535,
          65536,
          Integer.MAX_VALUE,
          1L << 31,
          (1L << 32) - 1,
          1L << 32,
          Long.MAX_VALUE,
          Long.MIN_VALUE
        }) {
      rows.add(new Snippet.Row(v));
    }
    for (int k = 0; k < 60; k++) {
      rows.add(new Snippet.Row(random.nextLong() >> random.nextInt(64)));
    }
    return rows;
  }

  @Test
  void changesIntegerWidthsAndSaturates() {
    List<Snippet.Row> rows = integers();
    for (String from : INTEGERS) {
      for (String to : INTEGERS) {
        long[] got =
            Snippet.run(
                device, "cvt." + to + "." + from + " %d, %a;", register(to), rows, register(from));
        // There is no .sat where the result holds every value.
        boolean narrows = !clamp(lowest(from), to).equals(lowest(from));
        narrows |= !clamp(highest(from), to).equals(highest(from));
        long[] saturated =
            narrows
                ? Snippet.run(
                    device,
                    "cvt.sat." + to + "." + from + " %d, %a;",
                    register(to),
                    rows,
                    register(from))
                : got;
        long mask = width(register(to)) == 64 ? -1 : (1L << width(register(to))) - 1;
        for (int k = 0; k < rows.size(); k++) {
          BigInteger v = value(rows.get(k).operands()[0], from);
          assertThat(got[k] & mask)
              .as("%s to %s of %s", from, to, v)
              .isEqualTo(value(v.longValue(), to).longValue() & mask);
          assertThat(saturated[k] & mask)
              .as("%s to %s of %s, saturated", from, to, v)
              .isEqualTo(clamp(v, to).longValue() & mask);
        }
      }
    }
  }

  private List<Snippet.Row> reals(boolean wide) {
    List<Snippet.Row> rows = new ArrayList<>();
    double[] edges = {
      0,
      -0.0,
      0.5,
      1.5,
      2.5,
      -0.5,
      -1.5,
      0.49999997,
      127.5,
      255.5,
      -128.5,
      65535.5,
      2147483647,
      2147483648.0,
      -2147483648.0,
      4294967295.0,
      4294967296.0,
      9.3e18,
      1.8e19,
      1.9e19,
      -9.3e18,
      1e30,
      -1e30,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NaN
    };
    for (double v : edges) {
      rows.add(row(v, wide));
    }
    for (int k = 0; k < 200; k++) {
      rows.add(row(Math.scalb(random.nextDouble() - 0.5, random.nextInt(70)), wide));
    }
    return rows;
  }

  private static Snippet.Row row(double v, boolean wide) {
    return new Snippet.Row(
        wide ? Double.doubleToRawLongBits(v) : Float.floatToRawIntBits((float) v) & 0xffff_ffffL);
  }

  @Test
  void roundsRealsToIntegersAndClamps() {
    for (String from : List.of("f32", "f64")) {
      boolean wide = from.equals("f64");
      List<Snippet.Row> rows = reals(wide);
      for (String to : INTEGERS) {
        for (String mode : MODES.keySet()) {
          long[] got =
              Snippet.run(
                  device,
                  "cvt." + mode + "." + to + "." + from + " %d, %a;",
                  register(to),
                  rows,
                  from);
          long mask = width(register(to)) == 64 ? -1 : (1L << width(register(to))) - 1;
          for (int k = 0; k < rows.size(); k++) {
            long bits = rows.get(k).operands()[0];
            double v = wide ? Double.longBitsToDouble(bits) : Float.intBitsToFloat((int) bits);
            BigInteger want;
            if (Double.isNaN(v)) {
              want =
                  !wide && width(to) < 64
                      ? BigInteger.ZERO
                      : BigInteger.ONE.shiftLeft(width(to) - 1);
            } else if (Double.isInfinite(v)) {
              want =
                  clamp(
                      BigInteger.ONE.shiftLeft(80).multiply(BigInteger.valueOf(v > 0 ? 1 : -1)),
                      to);
            } else {
              want = clamp(new BigDecimal(v).setScale(0, MODES.get(mode)).toBigInteger(), to);
            }
            assertThat(got[k] & mask)
                .as("cvt.%s.%s.%s of %s", mode, to, from, v)
                .isEqualTo(value(want.longValue(), to).longValue() & mask);
          }
        }
      }
    }
  }

  @Test
  void roundsToIntegralValues() {
    List<Snippet.Row> rows = reals(false);
    for (String mode : MODES.keySet()) {
      long[] got = Snippet.run(device, "cvt." + mode + ".f32.f32 %d, %a;", "f32", rows, "f32");
      for (int k = 0; k < rows.size(); k++) {
        float v = Float.intBitsToFloat((int) rows.get(k).operands()[0]);
        float result = Float.intBitsToFloat((int) got[k]);
        if (Float.isNaN(v) || Float.isInfinite(v)) {
          assertThat(Float.isNaN(v) ? Float.isNaN(result) : result == v).isTrue();
        } else {
          assertThat(new BigDecimal(result))
              .as("%s of %s", mode, v)
              .isEqualByComparingTo(new BigDecimal(v).setScale(0, MODES.get(mode)));
        }
      }
    }
  }

  /**
   * Whether {@code got} is the result of rounding to a neighbour in that direction, among the
   * floats next to it.
   */
  private static void assertRounded(float got, BigDecimal exact, String mode, String what) {
    BigDecimal g = new BigDecimal(got);
    BigDecimal up =
        Float.isInfinite(Math.nextUp(got))
            ? g.add(BigDecimal.valueOf(1e30))
            : new BigDecimal(Math.nextUp(got));
    BigDecimal down =
        Float.isInfinite(Math.nextDown(got))
            ? g.subtract(BigDecimal.valueOf(1e30))
            : new BigDecimal(Math.nextDown(got));
    switch (mode) {
      case "rn" -> {
        BigDecimal distance = g.subtract(exact).abs();
        int toUp = distance.compareTo(up.subtract(exact).abs());
        int toDown = distance.compareTo(down.subtract(exact).abs());
        assertThat(toUp <= 0 && toDown <= 0).as(what).isTrue();
        if (toUp == 0 || toDown == 0) {
          assertThat(Float.floatToRawIntBits(got) & 1).as(what).isZero();
        }
      }
      case "rm" -> assertThat(g.compareTo(exact) <= 0 && up.compareTo(exact) > 0).as(what).isTrue();
      case "rp" ->
          assertThat(g.compareTo(exact) >= 0 && down.compareTo(exact) < 0).as(what).isTrue();
      default ->
          assertThat(
                  exact.signum() >= 0
                      ? g.compareTo(exact) <= 0 && up.compareTo(exact) > 0
                      : g.compareTo(exact) >= 0 && down.compareTo(exact) < 0)
              .as(what)
              .isTrue();
    }
  }

  @Test
  void roundsIntegersToSingles() {
    List<Snippet.Row> rows = integers();
    for (String from : INTEGERS) {
      for (String mode : List.of("rn", "rz", "rm", "rp")) {
        long[] got =
            Snippet.run(
                device, "cvt." + mode + ".f32." + from + " %d, %a;", "f32", rows, register(from));
        for (int k = 0; k < rows.size(); k++) {
          BigInteger v = value(rows.get(k).operands()[0], from);
          assertRounded(
              Float.intBitsToFloat((int) got[k]),
              new BigDecimal(v),
              mode,
              "cvt." + mode + ".f32." + from + " of " + v);
        }
      }
    }
  }

  @Test
  void roundsDoublesToSingles() {
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 200; k++) {
      rows.add(row(Math.scalb(random.nextDouble() - 0.5, random.nextInt(200) - 160), true));
    }
    for (String mode : List.of("rn", "rz", "rm", "rp")) {
      long[] got = Snippet.run(device, "cvt." + mode + ".f32.f64 %d, %a;", "f32", rows, "f64");
      for (int k = 0; k < rows.size(); k++) {
        double v = Double.longBitsToDouble(rows.get(k).operands()[0]);
        assertRounded(
            Float.intBitsToFloat((int) got[k]),
            new BigDecimal(v),
            mode,
            "cvt." + mode + ".f32.f64 of " + v);
      }
    }
  }

  @Test
  void convertsIntegersToDoublesExactlyUpTo53Bits() {
    List<Snippet.Row> rows = integers();
    for (String from : INTEGERS) {
      long[] got =
          Snippet.run(device, "cvt.rn.f64." + from + " %d, %a;", "f64", rows, register(from));
      for (int k = 0; k < rows.size(); k++) {
        assertThat(Double.longBitsToDouble(got[k]))
            .isEqualTo(value(rows.get(k).operands()[0], from).doubleValue());
      }
    }
  }

  @Test
  void roundsToHalfAndBfloat() {
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 500; k++) {
      rows.add(row(Math.scalb(random.nextFloat() - 0.5f, random.nextInt(50) - 28), false));
    }
    // Ties, overflow, the smallest subnormal and what lies around it.
    for (double v :
        new double[] {
          2049,
          2051,
          65519,
          65520,
          65504,
          70000,
          0x1p-24,
          0x1p-25,
          0x1.8p-25,
          0x1.000002p-25,
          257,
          259,
          -2049
        }) {
      rows.add(row(v, false));
    }
    long[] halves = Snippet.run(device, "cvt.rn.f16.f32 %d, %a;", "b16", rows, "f32");
    long[] down = Snippet.run(device, "cvt.rz.f16.f32 %d, %a;", "b16", rows, "f32");
    long[] bfloats = Snippet.run(device, "cvt.rn.bf16.f32 %d, %a;", "b16", rows, "f32");
    long[] back =
        Snippet.run(device, "cvt.rn.f16.f32 %h1, %a; cvt.f32.f16 %d, %h1;", "f32", rows, "f32");
    for (int k = 0; k < rows.size(); k++) {
      float v = Float.intBitsToFloat((int) rows.get(k).operands()[0]);
      assertThat(halves[k] & 0xffff)
          .as("half of %s", v)
          .isEqualTo(Float.floatToFloat16(v) & 0xffff);
      float towardsZero = Float.float16ToFloat((short) down[k]);
      assertThat(Math.abs(towardsZero)).as("rz of %s", v).isLessThanOrEqualTo(Math.abs(v));
      assertThat(back[k] & 0xffff_ffffL)
          .isEqualTo(
              Float.floatToRawIntBits(Float.float16ToFloat(Float.floatToFloat16(v)))
                  & 0xffff_ffffL);
      float b = Float.intBitsToFloat((int) bfloats[k] << 16);
      float lower = Float.intBitsToFloat(Float.floatToRawIntBits(v) & 0xffff_0000);
      float upper = Float.intBitsToFloat((Float.floatToRawIntBits(v) & 0xffff_0000) + 0x1_0000);
      boolean nearLower = Math.abs((double) v - lower) < Math.abs((double) v - upper);
      boolean tie = Math.abs((double) v - lower) == Math.abs((double) v - upper);
      if (tie) {
        assertThat(bfloats[k] & 1).isZero();
      } else {
        assertThat(b).as("bfloat of %s", v).isEqualTo(nearLower ? lower : upper);
      }
    }
  }

  @Test
  void packsTheFirstOperandIntoTheUpperHalf() {
    List<Snippet.Row> rows =
        List.of(
            new Snippet.Row(
                Float.floatToRawIntBits(1.5f), Float.floatToRawIntBits(-2f) & 0xffff_ffffL));
    long[] got = Snippet.run(device, "cvt.rn.f16x2.f32 %d, %a, %b;", "b32", rows, "f32", "f32");
    assertThat((int) got[0]).isEqualTo(0x3e00_c000);
    long[] parts =
        Snippet.run(
            device,
            "cvt.rn.f16x2.f32 %x1, %a, %b; mov.b32 {%h1, %h2}, %x1; cvt.u32.u16 %d, %h2;",
            "u32",
            rows,
            "f32",
            "f32");
    assertThat(parts[0]).isEqualTo(0x3e00);
  }

  @Test
  void saturatesReals() {
    List<Snippet.Row> rows = reals(false);
    long[] got = Snippet.run(device, "cvt.sat.f32.f32 %d, %a;", "f32", rows, "f32");
    for (int k = 0; k < rows.size(); k++) {
      float v = Float.intBitsToFloat((int) rows.get(k).operands()[0]);
      assertThat(Float.intBitsToFloat((int) got[k]))
          .isEqualTo(Float.isNaN(v) ? 0 : Math.max(0, Math.min(1, v)) + 0f);
    }
  }

  /** Whole numbers between 0 and 1 are these two. */
  @Test
  void saturatesIntegersToHalves() {
    List<Snippet.Row> rows = integers();
    for (String from : INTEGERS) {
      for (String rounding : List.of("rn", "rz", "rm", "rp")) {
        String form = "cvt." + rounding + ".sat.f16." + from;
        long[] got = Snippet.run(device, form + " %d, %a;", "b16", rows, register(from));
        for (int k = 0; k < rows.size(); k++) {
          BigInteger v = value(rows.get(k).operands()[0], from);
          assertThat(got[k] & 0xffff)
              .as("%s of %s", form, v)
              .isEqualTo(v.signum() > 0 ? 0x3c00 : 0);
        }
      }
    }
  }

  @Test
  void flushesSubnormalSinglesOnTheWayToBfloats() {
    List<Snippet.Row> rows = new ArrayList<>();
    for (int bits : new int[] {0x007f_ffff, 0x0012_3456, 0x0080_0000, 0x3f80_ffff, 1}) {
      rows.add(new Snippet.Row(bits));
      rows.add(new Snippet.Row(bits | 0x8000_0000L));
    }
    for (String rounding : List.of("rn", "rz", "rm", "rp")) {
      String form = "cvt." + rounding + ".ftz.bf16.f32";
      long[] got = Snippet.run(device, form + " %d, %a;", "b16", rows, "f32");
      for (int k = 0; k < rows.size(); k++) {
        int bits = (int) rows.get(k).operands()[0];
        boolean normal = (bits & 0x7fff_ffff) >= 0x0080_0000;
        boolean up = rounding.equals("rn") || rounding.equals(bits < 0 ? "rm" : "rp");
        int want = (bits >>> 16) + (up && (bits & 0xffff) != 0 ? 1 : 0);
        assertThat(got[k] & 0xffff)
            .as("%s of %x", form, bits)
            .isEqualTo(normal ? want : bits >>> 16 & 0x8000);
      }
    }
  }
}
