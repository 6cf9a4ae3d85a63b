package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cvt.rs} against exact fractions, with random bits picked one by one. */
final class StochasticRoundingTest {
  /** Unpacks the values of two rows and converts them. */
  private static final String QUAD = "mov.b64 {%f1, %f2}, %a; mov.b64 {%f3, %f4}, %b; cvt.rs.";

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  private static long bits(float v) {
    return Float.floatToRawIntBits(v) & 0xffff_ffffL;
  }

  /** Numbers around those of the format, and ones that it has not. */
  private static float number(Random random, SmallFloat format) {
    double size = format.size(random.nextInt(format.largest() + 1));
    double next = format.size(random.nextInt(format.largest() + 1));
    float v =
        switch (random.nextInt(8)) {
          case 0 -> (float) size;
          case 1 -> Math.nextUp((float) size);
          case 2 -> (float) ((size + next) / 2);
          case 3 -> (float) format.size(random.nextInt(4)) * random.nextFloat();
          case 4 -> Float.intBitsToFloat(random.nextInt());
          case 5 ->
              new float[] {
                    0,
                    Float.NaN,
                    Float.POSITIVE_INFINITY,
                    Float.MIN_VALUE,
                    Float.MAX_VALUE,
                    0x1p-127f
                  }
                  [random.nextInt(6)];
          case 6 -> (float) (format.size(format.largest()) * (1 + random.nextDouble() / 2));
          default -> (float) (size + (next - size) * random.nextDouble());
        };
    return random.nextBoolean() ? -v : v;
  }

  /** The number that the bits at these places of a word make, the first the most significant. */
  private static int pick(long word, int... places) {
    int number = 0;
    for (int place : places) {
      number = number << 1 | (int) (word >>> place & 1);
    }
    return number;
  }

  private static int[] run(int from, int to) {
    int step = from < to ? 1 : -1;
    int[] places = new int[Math.abs(to - from) + 1];
    for (int k = 0; k < places.length; k++) {
      places[k] = from + k * step;
    }
    return places;
  }

  private static int[] join(int[] a, int[] b) {
    int[] both = java.util.Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  /** The code that a value rounds to with a number of so many random bits. */
  private static int expected(
      SmallFloat format, float v, int random, int count, boolean relu, boolean finite) {
    if (Float.isNaN(v)) {
      return format.nan();
    }
    if (relu && v < 0) {
      return 0;
    }
    int sign = Float.floatToRawIntBits(v) < 0 ? format.sign() : 0;
    if (Float.isInfinite(v)) {
      return sign | format.largest() + (finite ? 0 : 1);
    }
    BigDecimal size = new BigDecimal(Math.abs(v));
    int code = format.below(size);
    BigDecimal low = new BigDecimal(format.size(code));
    BigDecimal step = new BigDecimal(format.size(code + 1)).subtract(low);
    BigDecimal fraction = size.subtract(low).divide(step, MathContext.UNLIMITED);
    BigDecimal sum =
        fraction
            .multiply(BigDecimal.valueOf(1L << count))
            .setScale(0, java.math.RoundingMode.FLOOR)
            .add(BigDecimal.valueOf(random));
    if (sum.compareTo(BigDecimal.valueOf(1L << count)) >= 0) {
      code++;
    }
    return sign | Math.min(code, format.largest() + (finite ? 0 : 1));
  }

  @ParameterizedTest
  @CsvSource({
    "f16,13,false,false",
    "f16,13,true,true",
    "bf16,16,false,false",
    "bf16,16,false,true",
    "bf16,16,true,false"
  })
  void roundsPairs(String type, int count, boolean relu, boolean finite) {
    SmallFloat format = SmallFloat.of(type);
    Random random = new Random(21);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 3000; k++) {
      rows.add(
          new Snippet.Row(
              bits(number(random, format)),
              bits(number(random, format)),
              random.nextInt() & 0xffff_ffffL));
    }
    String form =
        "cvt.rs" + (finite ? ".satfinite" : "") + (relu ? ".relu" : "") + "." + type + "x2.f32";
    long[] got = Snippet.run(device, form + " %d, %a, %b, %c;", "b32", rows, "f32", "f32", "b32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      for (int half = 0; half < 2; half++) {
        float v = Float.intBitsToFloat((int) o[half]);
        int top = (half == 0 ? 16 : 0) + count - 1;
        int number = pick(o[2], run(top, top - count + 1));
        assertThat(got[k] >>> (half == 0 ? 16 : 0) & 0xffff)
            .as("seed 21, row %d: %s of %s with %x", k, form, v, number)
            .isEqualTo(expected(format, v, number, count, relu, finite));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "e4m3,false",
    "e5m2,false",
    "e3m2,false",
    "e2m3,false",
    "e2m1,false",
    "e5m2,true",
    "e2m1,true"
  })
  void roundsQuads(String type, boolean relu) {
    SmallFloat format = SmallFloat.of(type);
    boolean small = type.equals("e2m1");
    int[][] places =
        small
            ? new int[][] {
              join(run(8, 15), run(24, 31)), join(run(31, 24), run(15, 8)),
              join(run(0, 7), run(16, 23)), join(run(23, 16), run(7, 0))
            }
            : new int[][] {run(16, 31), run(31, 16), run(0, 15), run(15, 0)};
    Random random = new Random(22);
    List<Snippet.Row> rows = new ArrayList<>();
    List<float[]> values = new ArrayList<>();
    for (int k = 0; k < 2000; k++) {
      float[] v = new float[4];
      for (int part = 0; part < 4; part++) {
        v[part] = number(random, format);
      }
      values.add(v);
      rows.add(
          new Snippet.Row(
              bits(v[0]) | bits(v[1]) << 32,
              bits(v[2]) | bits(v[3]) << 32,
              random.nextInt() & 0xffff_ffffL));
    }
    String form = (relu ? "relu." : "") + "satfinite." + type + "x4.f32";
    long[] got =
        Snippet.run(
            device,
            QUAD + form + " %d, {%f1, %f2, %f3, %f4}, %c;",
            small ? "b16" : "b32",
            rows,
            "b64",
            "b64",
            "b32");
    int step = small ? 4 : 8;
    for (int k = 0; k < rows.size(); k++) {
      for (int part = 0; part < 4; part++) {
        float v = values.get(k)[part];
        int number = pick(rows.get(k).operands()[2], places[part]);
        assertThat(got[k] >>> step * (3 - part) & (1 << step) - 1)
            .as("seed 22, row %d: %s of %s with %x", k, form, v, number)
            .isEqualTo(expected(format, v, number, 16, relu, true));
      }
    }
  }

  /** What makes the mean of many results the value itself. */
  @Test
  void roundsAwayFromZeroAsOftenAsTheFractionSays() {
    float v = 1 + 0x1.234p-8f;
    List<Snippet.Row> rows = new ArrayList<>();
    for (long r = 0; r < 1 << 16; r++) {
      rows.add(new Snippet.Row(bits(v), r << 16 | r));
    }
    long[] got =
        Snippet.run(device, "cvt.rs.bf16x2.f32 %d, %a, %a, %b;", "b32", rows, "f32", "b32");
    long up = 0;
    for (long d : got) {
      up += (d & 0xffff) == 0x3f81 ? 1 : 0;
    }
    assertThat(up).isEqualTo((long) ((v - 1) * 0x1p7 * 0x1p16));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cvt.rs.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2|.satfinite",
        "cvt.rs.f16x2.f32 %r1, %f1, %f2|3 operands",
        "cvt.rs.f16x2.f32 %r1, %f1, %f2, 7|register of .b32 with random bits but found 7",
        "cvt.rs.f16x2.f32 %r1, %f1, %f2, %f3|register of .b32 with random bits but found %f3",
        "cvt.rs.satfinite.e2m1x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2|register of .b16",
        "cvt.rs.satfinite.e4m3x4.f32 %r1, %f1, %r2|four values in braces",
        "cvt.rs.f16.f32 %rs1, %f1, %r2|.f16x2, .bf16x2, .e4m3x4",
        "cvt.rs.f16x2.f64 %r1, %fd1, %fd1, %r2|.f32 only, not .f64",
        "cvt.rs.ftz.f16x2.f32 %r1, %f1, %f2, %r2|cvt.rs.ftz"
      })
  void saysWhatIsWrong(String example) {
    Refusals.check(device, example);
  }
}
