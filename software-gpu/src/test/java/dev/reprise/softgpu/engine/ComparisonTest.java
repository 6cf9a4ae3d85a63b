package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code setp}, {@code selp}, {@code slct} and logic on predicates. */
final class ComparisonTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private static final float[] FLOATS = {
    0f, -0f, 1f, -1f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 2f
  };

  private static final Map<String, BiPredicate<Float, Float>> FLOAT_TESTS =
      Map.ofEntries(
          Map.entry("eq", (a, b) -> (float) a == (float) b),
          Map.entry("ne", (a, b) -> ordered(a, b) && (float) a != (float) b),
          Map.entry("lt", (a, b) -> (float) a < (float) b),
          Map.entry("le", (a, b) -> (float) a <= (float) b),
          Map.entry("gt", (a, b) -> (float) a > (float) b),
          Map.entry("ge", (a, b) -> (float) a >= (float) b),
          Map.entry("equ", (a, b) -> !ordered(a, b) || (float) a == (float) b),
          Map.entry("neu", (a, b) -> !ordered(a, b) || (float) a != (float) b),
          Map.entry("ltu", (a, b) -> !ordered(a, b) || (float) a < (float) b),
          Map.entry("leu", (a, b) -> !ordered(a, b) || (float) a <= (float) b),
          Map.entry("gtu", (a, b) -> !ordered(a, b) || (float) a > (float) b),
          Map.entry("geu", (a, b) -> !ordered(a, b) || (float) a >= (float) b),
          Map.entry("num", ComparisonTest::ordered),
          Map.entry("nan", (a, b) -> !ordered(a, b)));

  private static boolean ordered(Float a, Float b) {
    return !Float.isNaN(a) && !Float.isNaN(b);
  }

  @Test
  void comparesRealsWithAndWithoutNan() {
    List<Snippet.Row> rows = new ArrayList<>();
    List<Snippet.Row> wide = new ArrayList<>();
    for (float a : FLOATS) {
      for (float b : FLOATS) {
        rows.add(
            new Snippet.Row(
                Float.floatToRawIntBits(a) & 0xffff_ffffL,
                Float.floatToRawIntBits(b) & 0xffff_ffffL));
        wide.add(new Snippet.Row(Double.doubleToRawLongBits(a), Double.doubleToRawLongBits(b)));
      }
    }
    FLOAT_TESTS.forEach((name, test) -> {
      long[] got =
          Snippet.run(
              device,
              "setp." + name + ".f32 %p1, %a, %b; selp.u32 %d, 1, 0, %p1;",
              "u32",
              rows,
              "f32",
              "f32");
      long[] doubles =
          Snippet.run(
              device,
              "setp." + name + ".f64 %p1, %a, %b; selp.u32 %d, 1, 0, %p1;",
              "u32",
              wide,
              "f64",
              "f64");
      for (int k = 0; k < rows.size(); k++) {
        float a = FLOATS[k / FLOATS.length];
        float b = FLOATS[k % FLOATS.length];
        assertThat(got[k] == 1).as("%s %s %s", a, name, b).isEqualTo(test.test(a, b));
        assertThat(doubles[k] == 1).as("%s %s %s in f64", a, name, b).isEqualTo(test.test(a, b));
      }
    });
  }

  @Test
  void comparesIntegersBySign() {
    long[] values = {
      0,
      1,
      0x7fff,
      0x8000,
      0xffff,
      0x7fff_ffffL,
      0x8000_0000L,
      0xffff_ffffL,
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      -1
    };
    List<Snippet.Row> rows = new ArrayList<>();
    for (long a : values) {
      for (long b : values) {
        rows.add(new Snippet.Row(a, b));
      }
    }
    for (int bits : new int[] {16, 32, 64}) {
      for (String sign : new String[] {"u", "s"}) {
        for (String op : List.of("eq", "ne", "lt", "le", "gt", "ge")) {
          String body = "setp." + op + "." + sign + bits + " %p1, %a, %b; selp.u32 %d, 1, 0, %p1;";
          long[] got = Snippet.run(device, body, "u32", rows, "b" + bits, "b" + bits);
          for (int k = 0; k < rows.size(); k++) {
            long a = extend(rows.get(k).operands()[0], bits, sign.equals("s"));
            long b = extend(rows.get(k).operands()[1], bits, sign.equals("s"));
            int c = sign.equals("s") ? Long.compare(a, b) : Long.compareUnsigned(a, b);
            boolean want =
                switch (op) {
                  case "eq" -> c == 0;
                  case "ne" -> c != 0;
                  case "lt" -> c < 0;
                  case "le" -> c <= 0;
                  case "gt" -> c > 0;
                  default -> c >= 0;
                };
            assertThat(got[k] == 1).as("%s of %x, %x", body, a, b).isEqualTo(want);
          }
        }
      }
    }
  }

  private static long extend(long v, int bits, boolean signed) {
    int up = 64 - bits;
    return signed ? v << up >> up : v << up >>> up;
  }

  @Test
  void combinesWithAPredicateAndGivesTheComplement() {
    List<Snippet.Row> rows = List.of(new Snippet.Row(1, 2), new Snippet.Row(2, 1));
    for (String combine : List.of("and", "or", "xor")) {
      for (boolean third : new boolean[] {false, true}) {
        for (String not : List.of("", "!")) {
          String body =
              "setp.eq.u32 %p3, "
                  + (third ? "0, 0" : "0, 1")
                  + ";"
                  + "setp.lt."
                  + combine
                  + ".u32 %p1|%p2, %a, %b, "
                  + not
                  + "%p3;"
                  + "selp.u32 %x1, 1, 0, %p1; selp.u32 %x2, 2, 0, %p2; or.b32 %d, %x1, %x2;";
          long[] got = Snippet.run(device, body, "u32", rows, "u32", "u32");
          for (int k = 0; k < 2; k++) {
            boolean less = k == 0;
            boolean c = third != not.equals("!");
            boolean p = combine(combine, less, c);
            boolean q = combine(combine, !less, c);
            assertThat(got[k]).as(body).isEqualTo((p ? 1 : 0) | (q ? 2 : 0));
          }
        }
      }
    }
  }

  private static boolean combine(String op, boolean x, boolean y) {
    return switch (op) {
      case "and" -> x && y;
      case "or" -> x || y;
      default -> x != y;
    };
  }

  @Test
  void selectsBySign() {
    List<Snippet.Row> rows =
        List.of(new Snippet.Row(5), new Snippet.Row(0xffff_ffffL), new Snippet.Row(0));
    assertThat(Snippet.run(device, "slct.u32.s32 %d, 7, 8, %a;", "u32", rows, "s32"))
        .containsExactly(7, 8, 7);
  }

  @Test
  void combinesPredicates() {
    List<Snippet.Row> rows =
        List.of(
            new Snippet.Row(0, 0),
            new Snippet.Row(0, 1),
            new Snippet.Row(1, 0),
            new Snippet.Row(1, 1));
    String load = "setp.ne.u32 %p1, %a, 0; setp.ne.u32 %p2, %b, 0; ";
    String result = " selp.u32 %d, 1, 0, %p3;";
    assertThat(
            Snippet.run(
                device, load + "and.pred %p3, %p1, %p2;" + result, "u32", rows, "u32", "u32"))
        .containsExactly(0, 0, 0, 1);
    assertThat(
            Snippet.run(
                device, load + "or.pred %p3, %p1, %p2;" + result, "u32", rows, "u32", "u32"))
        .containsExactly(0, 1, 1, 1);
    assertThat(
            Snippet.run(
                device, load + "xor.pred %p3, %p1, %p2;" + result, "u32", rows, "u32", "u32"))
        .containsExactly(0, 1, 1, 0);
    assertThat(Snippet.run(device, load + "not.pred %p3, %p1;" + result, "u32", rows, "u32", "u32"))
        .containsExactly(1, 1, 0, 0);
    assertThat(Snippet.run(device, load + "mov.pred %p3, %p2;" + result, "u32", rows, "u32", "u32"))
        .containsExactly(0, 1, 0, 1);
  }
}
