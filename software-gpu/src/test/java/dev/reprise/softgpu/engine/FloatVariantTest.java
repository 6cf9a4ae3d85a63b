package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Modifiers of float instructions beyond rounding: signs, classes, flushed and clamped results. */
final class FloatVariantTest {
  private static final float[] EDGES = {
    0f,
    -0f,
    1f,
    -1f,
    Float.NaN,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    65504f,
    65520f,
    -65519f,
    6e-8f,
    3e-5f
  };

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  private static List<Snippet.Row> rows(int operands) {
    Random r = new Random(41);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 500; k++) {
      long[] o = new long[operands];
      for (int x = 0; x < operands; x++) {
        float v = r.nextInt(3) == 0 ? EDGES[r.nextInt(EDGES.length)] : r.nextFloat() * 4 - 2;
        o[x] = Float.floatToRawIntBits(v) & 0xffff_ffffL;
      }
      rows.add(new Snippet.Row(o));
    }
    return rows;
  }

  private static float value(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  private static int bits(float v) {
    return Float.isNaN(v) ? 0x7fff_ffff : Float.floatToRawIntBits(v);
  }

  private static float number(float a, float b, boolean min) {
    if (Float.isNaN(a) || Float.isNaN(b)) {
      return Float.isNaN(a) ? b : a;
    }
    return min ? Math.min(a, b) : Math.max(a, b);
  }

  @Test
  void multipliesTheSignsOfExtremes() {
    List<Snippet.Row> rows = rows(2);
    long[] min = Snippet.run(device, "min.xorsign.abs.f32 %d, %a, %b;", "f32", rows, "f32", "f32");
    long[] max =
        Snippet.run(device, "max.NaN.xorsign.abs.f32 %d, %a, %b;", "f32", rows, "f32", "f32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      float a = value(o[0]);
      float b = value(o[1]);
      float sign = (o[0] ^ o[1]) >>> 31 == 0 ? 1f : -1f;
      assertThat((int) min[k])
          .as("%s %s", a, b)
          .isEqualTo(bits(sign * number(Math.abs(a), Math.abs(b), true)));
      assertThat((int) max[k]).isEqualTo(bits(sign * Math.max(Math.abs(a), Math.abs(b))));
    }
  }

  @Test
  void takesTheExtremeOfThree() {
    List<Snippet.Row> rows = rows(3);
    long[] got =
        Snippet.run(device, "max.abs.f32 %d, %a, %b, %c;", "f32", rows, "f32", "f32", "f32");
    long[] nan =
        Snippet.run(device, "min.NaN.f32 %d, %a, %b, %c;", "f32", rows, "f32", "f32", "f32");
    for (int k = 0; k < rows.size(); k++) {
      float a = value(rows.get(k).operands()[0]);
      float b = value(rows.get(k).operands()[1]);
      float c = value(rows.get(k).operands()[2]);
      float want = number(number(Math.abs(a), Math.abs(b), false), Math.abs(c), false);
      assertThat((int) got[k]).isEqualTo(bits(want));
      assertThat((int) nan[k]).isEqualTo(bits(Math.min(Math.min(a, b), c)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
  void tellsTheClassOfANumber(String what) {
    List<Snippet.Row> rows = rows(1);
    long[] got =
        Snippet.run(
            device, "testp." + what + ".f32 %p1, %a; selp.b32 %d, 1, 0, %p1;", "b32", rows, "f32");
    String wide = "cvt.f64.f32 %g1, %a; testp." + what + ".f64 %p1, %g1; selp.b32 %d, 1, 0, %p1;";
    long[] doubles = Snippet.run(device, wide, "b32", rows, "f32");
    for (int k = 0; k < rows.size(); k++) {
      int b = (int) rows.get(k).operands()[0];
      int exponent = b >>> 23 & 0xff;
      int fraction = b & 0x7f_ffff;
      boolean want =
          switch (what) {
            case "finite" -> exponent != 255;
            case "infinite" -> exponent == 255 && fraction == 0;
            case "number" -> exponent != 255 || fraction == 0;
            case "notanumber" -> exponent == 255 && fraction != 0;
            case "normal" -> exponent != 255 && exponent != 0;
            default -> exponent == 0 && fraction != 0;
          };
      assertThat(got[k]).as("%s of %x", what, b).isEqualTo(want ? 1 : 0);
      // A subnormal float is a normal double.
      boolean wantWide =
          what.equals("subnormal")
              ? false
              : what.equals("normal") ? exponent != 255 && (b & Integer.MAX_VALUE) != 0 : want;
      assertThat(doubles[k]).isEqualTo(wantWide ? 1 : 0);
    }
  }

  @Test
  void flushesHalvesOnlyWhereAsked() {
    Random r = new Random(42);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 500; k++) {
      rows.add(new Snippet.Row(half(r), half(r), half(r)));
    }
    long[] sums = Snippet.run(device, "add.ftz.f16 %d, %a, %b;", "b16", rows, "b16", "b16", "b16");
    long[] plain = Snippet.run(device, "add.f16 %d, %a, %b;", "b16", rows, "b16", "b16", "b16");
    long[] fused =
        Snippet.run(
            device, "fma.rn.ftz.relu.f16 %d, %a, %b, %c;", "b16", rows, "b16", "b16", "b16");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      float a = Float.float16ToFloat((short) o[0]);
      float b = Float.float16ToFloat((short) o[1]);
      float c = Float.float16ToFloat((short) o[2]);
      assertThat(plain[k] & 0xffff).isEqualTo(Float.floatToFloat16(a + b) & 0xffff);
      assertThat(sums[k] & 0xffff)
          .isEqualTo(Float.floatToFloat16(flush(flush(a) + flush(b))) & 0xffff);
      double exact = (double) flush(a) * flush(b) + flush(c);
      float want = Math.max(0, flush(Float.float16ToFloat(Float.floatToFloat16((float) exact))));
      assertThat(fused[k] & 0x7fff).isEqualTo(Float.floatToFloat16(want) & 0x7fff);
    }
  }

  /** Small and subnormal halves. */
  private static int half(Random r) {
    return r.nextInt(0xc00) | r.nextInt(2) << 15;
  }

  private static float flush(float v) {
    return Math.abs(v) < 0x1p-14f ? v * 0f : v;
  }

  @Test
  void clampsConversionsToHalves() {
    List<Snippet.Row> rows = rows(1);
    long[] finite = Snippet.run(device, "cvt.rn.satfinite.f16.f32 %d, %a;", "b16", rows, "f32");
    long[] relu = Snippet.run(device, "cvt.rn.relu.f16.f32 %d, %a;", "b16", rows, "f32");
    for (int k = 0; k < rows.size(); k++) {
      float v = value(rows.get(k).operands()[0]);
      float clamped = Float.isNaN(v) ? v : Math.max(-65504, Math.min(65504, v));
      int want = Float.isNaN(v) ? 0x7fff : Float.floatToFloat16(clamped) & 0xffff;
      assertThat(finite[k] & 0xffff).as("%s", v).isEqualTo(want);
      int positive = Float.isNaN(v) ? 0x7fff : Float.floatToFloat16(Math.max(v, 0)) & 0x7fff;
      assertThat(relu[k] & 0x7fff).as("%s", v).isEqualTo(positive);
    }
  }

  @Test
  void keepsBitsThatLookLikeNumbers() {
    // A register of bits that most instructions use as a float gets a pair of halves.
    Snippet.Row row = new Snippet.Row(bits(1f), 0x7fc0_1234L);
    String body =
        "add.f32 %x2, %a, %a; add.f32 %x2, %x2, %x2; add.f32 %x1, %x2, %x2;"
            + " add.f32 %x1, %x1, %x1; add.f32 %x1, %x1, %x1;"
            + " set.eq.u32.f32 %x1, %a, %a; mov.b32 %d, %x1;";
    assertThat((int) Snippet.run(device, body, "b32", List.of(row), "f32", "b32")[0]).isEqualTo(-1);
  }
}
