package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conversions from and to the formats of at most 8 bits and tf32, against search and formula. */
final class NarrowFormatTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /** Sign, exponent and fraction by their definition; NaN beyond the largest number. */
  private static double value(int code, int exponentBits, int fractionBits, int bias, int largest) {
    int fraction = code & ((1 << fractionBits) - 1);
    int exponent = code >> fractionBits & ((1 << exponentBits) - 1);
    int size = code & ((1 << (exponentBits + fractionBits)) - 1);
    double v =
        size > largest
            ? (exponentBits == 5 && fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
            : exponent == 0
                ? fraction * Math.pow(2, 1 - bias - fractionBits)
                : (1 + fraction * Math.pow(2, -fractionBits)) * Math.pow(2, exponent - bias);
    return code >> (exponentBits + fractionBits) == 0 ? v : -v;
  }

  @ParameterizedTest
  @CsvSource({
    "e4m3,4,3,7,126",
    "e5m2,5,2,15,123",
    "e3m2,3,2,3,31",
    "e2m3,2,3,1,31",
    "e2m1,2,1,1,7"
  })
  void readsEveryCode(String format, int e, int m, int bias, int largest) {
    int codes = 2 << (e + m);
    int step = format.equals("e2m1") ? 4 : 8;
    List<Snippet.Row> rows = new ArrayList<>();
    for (int code = 0; code < codes; code++) {
      rows.add(new Snippet.Row(code | (codes - 1 - code) << step));
    }
    String convert = "cvt.rn.f16x2." + format + "x2 %d, %a;";
    if (step == 4) {
      convert = ".reg .b8 %n; cvt.u8.u16 %n, %a; cvt.rn.f16x2.e2m1x2 %d, %n;";
    }
    long[] got = Snippet.run(device, convert, "b32", rows, "b16");
    for (int code = 0; code < codes; code++) {
      double low = value(code, e, m, bias, largest);
      double high = value(codes - 1 - code, e, m, bias, largest);
      double gotLow = Float.float16ToFloat((short) got[code]);
      double gotHigh = Float.float16ToFloat((short) (got[code] >> 16));
      assertThat(Double.compare(gotLow, low)).as("%x: %s", code, gotLow).isZero();
      assertThat(Double.compare(gotHigh, high)).as("%x: %s", code, gotHigh).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"e4m3,4,3,7,126", "e5m2,5,2,15,123", "e3m2,3,2,3,31", "e2m3,2,3,1,31"})
  void writesTheNearestCode(String format, int e, int m, int bias, int largest) {
    Random random = new Random(11);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 2000; k++) {
      // Midpoints between codes too, which go to the even code.
      int code = random.nextInt(largest);
      double between =
          (value(code, e, m, bias, largest) + value(code + 1, e, m, bias, largest)) / 2;
      float v =
          switch (k % 4) {
            case 0 -> (float) between;
            case 1 -> -Math.nextUp((float) between);
            case 2 -> random.nextFloat() * 600 - 300;
            default -> Float.intBitsToFloat(random.nextInt());
          };
      rows.add(new Snippet.Row(Float.floatToRawIntBits(v) & 0xffff_ffffL, 0));
    }
    long[] got =
        Snippet.run(
            device, "cvt.rn.satfinite." + format + "x2.f32 %d, %b, %a;", "b16", rows, "f32", "f32");
    for (int k = 0; k < rows.size(); k++) {
      float v = Float.intBitsToFloat((int) rows.get(k).operands()[0]);
      int best = 0;
      double size = Math.min(Math.abs((double) v), value(largest, e, m, bias, largest));
      for (int code = 0; code <= largest; code++) {
        double d = Math.abs(value(code, e, m, bias, largest) - size);
        double known = Math.abs(value(best, e, m, bias, largest) - size);
        if (d < known || (d == known && code % 2 == 0)) {
          best = code;
        }
      }
      int want = best | (Float.floatToRawIntBits(v) < 0 ? 1 << (e + m) : 0);
      if (Float.isNaN(v)) {
        want = e + m == 7 ? 0x7f : largest;
      }
      assertThat(got[k] & 0xff).as("%s of %s", format, v).isEqualTo(want);
    }
  }

  @Test
  void writesPowersOfTwo() {
    List<Snippet.Row> rows = new ArrayList<>();
    Random random = new Random(12);
    for (int k = 0; k < 500; k++) {
      rows.add(new Snippet.Row(random.nextInt() & 0xffff_ffffL));
    }
    rows.add(new Snippet.Row(Float.floatToRawIntBits(1f)));
    rows.add(new Snippet.Row(Float.floatToRawIntBits(Float.MAX_VALUE)));
    rows.add(new Snippet.Row(Float.floatToRawIntBits(Float.POSITIVE_INFINITY)));
    rows.add(new Snippet.Row(0x0040_0000));
    rows.add(new Snippet.Row(0x0040_0001));
    for (boolean up : new boolean[] {false, true}) {
      long[] got =
          Snippet.run(
              device,
              "cvt." + (up ? "rp" : "rz") + ".satfinite.ue8m0x2.f32 %d, %a, %a;",
              "b16",
              rows,
              "f32");
      for (int k = 0; k < rows.size(); k++) {
        double size = Math.abs((double) Float.intBitsToFloat((int) rows.get(k).operands()[0]));
        int want = 255;
        if (!Double.isNaN(size)) {
          want = 0;
          // The greatest power not above, or the least not below.
          while (want < 254
              && (up ? Math.scalb(1.0, want - 127) < size : Math.scalb(1.0, want - 126) <= size)) {
            want++;
          }
        }
        assertThat(got[k] & 0xffff).as("%s up %s", size, up).isEqualTo(want | want << 8);
      }
    }
  }

  @Test
  void roundsToTensorFloats() {
    Random random = new Random(13);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 1000; k++) {
      int bits = random.nextInt();
      rows.add(new Snippet.Row((k % 3 == 0 ? bits & 0xffff_f000 : bits) & 0xffff_ffffL));
    }
    long[] away = Snippet.run(device, "cvt.rna.tf32.f32 %d, %a;", "b32", rows, "f32");
    long[] zero = Snippet.run(device, "cvt.rz.tf32.f32 %d, %a;", "b32", rows, "f32");
    long[] even = Snippet.run(device, "cvt.rn.relu.tf32.f32 %d, %a;", "b32", rows, "f32");
    for (int k = 0; k < rows.size(); k++) {
      int bits = (int) rows.get(k).operands()[0];
      if (Float.isNaN(Float.intBitsToFloat(bits))) {
        assertThat((int) away[k]).isEqualTo(0x7fff_ffff);
        continue;
      }
      assertThat((int) away[k]).isEqualTo(bits + 0x1000 & 0xffff_e000);
      assertThat((int) zero[k]).isEqualTo(bits & 0xffff_e000);
      int nearest = bits + 0xfff + (bits >>> 13 & 1) & 0xffff_e000;
      assertThat((int) even[k]).isEqualTo(bits < 0 ? 0 : nearest);
    }
  }

  @Test
  void packsSaturatedIntegers() {
    Random random = new Random(14);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 500; k++) {
      int spread = random.nextInt(32);
      rows.add(
          new Snippet.Row(
              random.nextInt() >> spread & 0xffff_ffffL,
              random.nextInt() >> spread & 0xffff_ffffL,
              random.nextInt() & 0xffff_ffffL));
    }
    long[] halves =
        Snippet.run(device, "cvt.pack.sat.s16.s32 %d, %a, %b;", "b32", rows, "b32", "b32", "b32");
    long[] bytes =
        Snippet.run(
            device, "cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", "b32", rows, "b32", "b32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      int a = (int) rows.get(k).operands()[0];
      int b = (int) rows.get(k).operands()[1];
      int c = (int) rows.get(k).operands()[2];
      int low = Math.max(-32768, Math.min(32767, b)) & 0xffff;
      int high = Math.max(-32768, Math.min(32767, a)) & 0xffff;
      assertThat((int) halves[k]).isEqualTo(high << 16 | low);
      int lowByte = Math.max(0, Math.min(255, b));
      int highByte = Math.max(0, Math.min(255, a));
      assertThat((int) bytes[k]).isEqualTo(c << 16 | highByte << 8 | lowByte);
    }
  }
}
