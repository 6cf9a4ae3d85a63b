package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Floating-point instructions with every rounding mode, against exact decimal arithmetic. */
final class FloatInstructionTest {
  private static final long SEED = 4711;
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private static long bits(float v) {
    return Float.floatToRawIntBits(v) & 0xffff_ffffL;
  }

  private static float single(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  private static final float[] EDGES = {
    0f,
    -0f,
    1f,
    -1f,
    0.5f,
    3f,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    1.0000001f,
    0.99999994f,
    8388609f,
    1e-30f,
    -3e20f
  };

  private static List<Snippet.Row> singles(boolean special) {
    Random r = new Random(SEED);
    List<Snippet.Row> rows = new ArrayList<>();
    for (float a : EDGES) {
      for (float b : EDGES) {
        rows.add(new Snippet.Row(bits(a), bits(b), bits(EDGES[r.nextInt(EDGES.length)])));
      }
    }
    for (int k = 0; k < 400; k++) {
      // Exponents close to each other, so that sums round.
      float a = Math.scalb(r.nextFloat() - 0.5f, r.nextInt(60) - 30);
      float b = Math.scalb(r.nextFloat() - 0.5f, r.nextInt(60) - 30);
      float c = Math.scalb(r.nextFloat() - 0.5f, r.nextInt(60) - 30);
      rows.add(new Snippet.Row(bits(a), bits(b), bits(c)));
    }
    if (special) {
      float[] others = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 2f, -0f};
      for (float a : others) {
        for (float b : others) {
          rows.add(new Snippet.Row(bits(a), bits(b), bits(1f)));
        }
      }
    }
    return rows;
  }

  /**
   * The float nearest below (or above, or towards zero) to an exact value: found by walking, not by
   * rounding formulas.
   */
  private static float directed(BigDecimal exact, String mode) {
    float near = exact.floatValue();
    boolean down = mode.equals("rm") || (mode.equals("rz") && exact.signum() > 0);
    if (Float.isInfinite(near)) {
      near = near > 0 ? Float.MAX_VALUE : -Float.MAX_VALUE;
      boolean beyond = exact.abs().compareTo(new BigDecimal(Float.MAX_VALUE)) > 0;
      if (beyond && mode.equals("rm") && exact.signum() < 0) {
        return Float.NEGATIVE_INFINITY;
      }
      if (beyond && mode.equals("rp") && exact.signum() > 0) {
        return Float.POSITIVE_INFINITY;
      }
      return near;
    }
    if (down) {
      while (!Float.isInfinite(near) && new BigDecimal(near).compareTo(exact) > 0) {
        near = Math.nextDown(near);
      }
    } else {
      while (!Float.isInfinite(near) && new BigDecimal(near).compareTo(exact) < 0) {
        near = Math.nextUp(near);
      }
    }
    return near;
  }

  private interface Exact {
    BigDecimal apply(BigDecimal a, BigDecimal b, BigDecimal c);
  }

  private void directed(String op, String operands, Exact formula) {
    List<Snippet.Row> rows = singles(false);
    for (String mode : List.of("rm", "rp", "rz")) {
      String instruction = op + "." + mode + ".f32 %d, " + operands + ";";
      long[] got = Snippet.run(device, instruction, "f32", rows, "f32", "f32", "f32");
      for (int k = 0; k < rows.size(); k++) {
        long[] o = rows.get(k).operands();
        float a = single(o[0]);
        float b = single(o[1]);
        float c = single(o[2]);
        if ((op.equals("div") && b == 0)
            || (op.equals("sqrt") && a < 0)
            || (op.equals("rcp") && a == 0)) {
          continue;
        }
        BigDecimal exact = formula.apply(new BigDecimal(a), new BigDecimal(b), new BigDecimal(c));
        float result = single(got[k]);
        if (exact.signum() == 0) {
          assertThat(result).as("%s of %s, %s, %s", instruction, a, b, c).isZero();
        } else {
          float want = directed(exact, mode);
          // A result that rounds to zero keeps its sign.
          float signed = want == 0 ? Math.copySign(0f, exact.signum()) : want;
          assertThat(Float.floatToRawIntBits(result))
              .as("%s of %s, %s, %s gave %s, wanted %s", instruction, a, b, c, result, signed)
              .isEqualTo(Float.floatToRawIntBits(signed));
        }
      }
    }
  }

  @Test
  void roundsSumsInEveryDirection() {
    directed("add", "%a, %b", (a, b, c) -> a.add(b));
    directed("sub", "%a, %b", (a, b, c) -> a.subtract(b));
  }

  @Test
  void roundsProductsInEveryDirection() {
    directed("mul", "%a, %b", (a, b, c) -> a.multiply(b));
  }

  @Test
  void roundsFusedProductsInEveryDirection() {
    directed("fma", "%a, %b, %c", (a, b, c) -> a.multiply(b).add(c));
  }

  @Test
  void roundsQuotientsAndRootsInEveryDirection() {
    MathContext wide = new MathContext(120);
    directed("div", "%a, %b", (a, b, c) -> a.divide(b, wide));
    directed("rcp", "%a", (a, b, c) -> BigDecimal.ONE.divide(a, wide));
    directed("sqrt", "%a", (a, b, c) -> a.sqrt(wide));
  }

  @Test
  void givesExactZeroTheSignOfTheMode() {
    List<Snippet.Row> rows =
        List.of(
            new Snippet.Row(bits(1.5f), bits(-1.5f)),
            new Snippet.Row(bits(0f), bits(0f)),
            new Snippet.Row(bits(-0f), bits(-0f)));
    assertThat(Snippet.run(device, "add.rm.f32 %d, %a, %b;", "f32", rows, "f32", "f32"))
        .containsExactly(bits(-0f), bits(0f), bits(-0f));
    assertThat(Snippet.run(device, "add.rp.f32 %d, %a, %b;", "f32", rows, "f32", "f32"))
        .containsExactly(bits(0f), bits(0f), bits(-0f));
  }

  private interface Plain {
    float apply(float a, float b, float c);
  }

  private void nearest(String instruction, Plain formula) {
    List<Snippet.Row> rows = singles(true);
    long[] got = Snippet.run(device, instruction + ";", "f32", rows, "f32", "f32", "f32");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      float want = formula.apply(single(o[0]), single(o[1]), single(o[2]));
      float result = single(got[k]);
      if (Float.isNaN(want)) {
        assertThat(result).isNaN();
      } else {
        assertThat(Float.floatToRawIntBits(result))
            .as(
                "%s of %s, %s, %s gave %s, wanted %s",
                instruction, single(o[0]), single(o[1]), single(o[2]), result, want)
            .isEqualTo(Float.floatToRawIntBits(want));
      }
    }
  }

  @Test
  void roundsToNearestByDefault() {
    nearest("add.f32 %d, %a, %b", (a, b, c) -> a + b);
    nearest("sub.rn.f32 %d, %a, %b", (a, b, c) -> a - b);
    nearest("mul.f32 %d, %a, %b", (a, b, c) -> a * b);
    nearest("div.rn.f32 %d, %a, %b", (a, b, c) -> a / b);
    nearest("rcp.rn.f32 %d, %a", (a, b, c) -> 1 / a);
    nearest("fma.rn.f32 %d, %a, %b, %c", (a, b, c) -> Math.fma(a, b, c));
    nearest("neg.f32 %d, %a", (a, b, c) -> -a);
    nearest("abs.f32 %d, %a", (a, b, c) -> Math.abs(a));
    nearest("copysign.f32 %d, %a, %b", (a, b, c) -> Math.copySign(b, a));
    nearest("sqrt.rn.f32 %d, %a", (a, b, c) -> root(a));
  }

  private static float root(float a) {
    if (Float.isNaN(a) || a < 0) {
      return Float.NaN;
    }
    return a == 0 || Float.isInfinite(a)
        ? a
        : new BigDecimal(a).sqrt(new MathContext(60)).floatValue();
  }

  @Test
  void prefersNumbersToNan() {
    nearest(
        "min.f32 %d, %a, %b",
        (a, b, c) -> Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.min(a, b));
    nearest(
        "max.f32 %d, %a, %b",
        (a, b, c) -> Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.max(a, b));
    nearest("max.NaN.f32 %d, %a, %b", (a, b, c) -> Math.max(a, b));
  }

  private static float flush(float v) {
    return Math.abs(v) < Float.MIN_NORMAL ? Math.copySign(0f, v) : v;
  }

  @Test
  void flushesSubnormalsWhereWritten() {
    nearest("add.ftz.f32 %d, %a, %b", (a, b, c) -> flush(flush(a) + flush(b)));
    nearest("mul.ftz.f32 %d, %a, %b", (a, b, c) -> flush(flush(a) * flush(b)));
    nearest(
        "fma.rn.ftz.f32 %d, %a, %b, %c",
        (a, b, c) -> flush(Math.fma(flush(a), flush(b), flush(c))));
  }

  @Test
  void saturates() {
    nearest("add.sat.f32 %d, %a, %b", (a, b, c) -> clamp(a + b));
    nearest("fma.rn.sat.f32 %d, %a, %b, %c", (a, b, c) -> clamp(Math.fma(a, b, c)));
  }

  private static float clamp(float v) {
    return Float.isNaN(v) || v <= 0 ? 0f : Math.min(v, 1f);
  }

  @Test
  void yieldsTheCanonicalNan() {
    List<Snippet.Row> rows =
        List.of(
            new Snippet.Row(bits(Float.POSITIVE_INFINITY), bits(Float.NEGATIVE_INFINITY)),
            new Snippet.Row(0xffc1_2345L, bits(1f)),
            new Snippet.Row(0x7f80_0001L, bits(1f)));
    assertThat(Snippet.run(device, "add.f32 %d, %a, %b;", "f32", rows, "f32", "f32"))
        .containsOnly(0x7fff_ffffL);
    assertThat(
            Snippet.run(
                device, "fma.rn.f32 %f1, %a, %b, %b; mov.b32 %d, %f1;", "b32", rows, "f32", "f32"))
        .contains(0x7fff_ffffL);
    assertThat(Snippet.run(device, "mov.f32 %d, %a;", "f32", rows, "f32", "f32"))
        .containsExactly(bits(Float.POSITIVE_INFINITY), 0xffc1_2345L, 0x7f80_0001L);
  }

  @Test
  void approximatesWithinTheStatedErrors() {
    List<Snippet.Row> rows = new ArrayList<>();
    for (float v = -30; v < 30; v += 0.37f) {
      rows.add(new Snippet.Row(bits(v)));
    }
    close(rows, "ex2.approx.f32", v -> Math.pow(2, v), 1e-6, 0);
    close(rows, "sin.approx.f32", Math::sin, 0, 1e-6);
    close(rows, "cos.approx.f32", Math::cos, 0, 1e-6);
    close(rows, "tanh.approx.f32", Math::tanh, 1e-3, 1e-6);
    List<Snippet.Row> positive = rows.stream().filter(r -> single(r.operands()[0]) > 0).toList();
    close(positive, "lg2.approx.f32", v -> Math.log(v) / Math.log(2), 1e-6, 1e-6);
    close(positive, "rsqrt.approx.f32", v -> 1 / Math.sqrt(v), 2e-7, 0);
    close(positive, "sqrt.approx.f32", Math::sqrt, 2e-7, 0);
    close(positive, "rcp.approx.ftz.f32", v -> 1 / v, 2e-7, 0);
  }

  private void close(
      List<Snippet.Row> rows, String op, DoubleUnaryOperator f, double relative, double absolute) {
    long[] got = Snippet.run(device, op + " %d, %a;", "f32", rows, "f32");
    for (int k = 0; k < rows.size(); k++) {
      double want = f.applyAsDouble(single(rows.get(k).operands()[0]));
      assertThat(Math.abs(single(got[k]) - want))
          .as("%s of %s", op, single(rows.get(k).operands()[0]))
          .isLessThanOrEqualTo(Math.abs(want) * relative + absolute);
    }
  }

  @Test
  void approximatesTheEndsOfTheRange() {
    List<Snippet.Row> rows =
        List.of(
            new Snippet.Row(bits(Float.POSITIVE_INFINITY)),
            new Snippet.Row(bits(Float.NEGATIVE_INFINITY)),
            new Snippet.Row(bits(Float.NaN)),
            new Snippet.Row(bits(-149f)),
            new Snippet.Row(bits(128f)),
            new Snippet.Row(bits(0f)),
            new Snippet.Row(bits(-149.99f)),
            new Snippet.Row(bits(-150f)),
            new Snippet.Row(bits(-1e30f)));
    assertThat(Snippet.run(device, "ex2.approx.f32 %d, %a;", "f32", rows, "f32"))
        .containsExactly(
            bits(Float.POSITIVE_INFINITY),
            0,
            0x7fff_ffffL,
            1,
            bits(Float.POSITIVE_INFINITY),
            bits(1f),
            1,
            0,
            0);
    assertThat(single(Snippet.run(device, "lg2.approx.f32 %d, %a;", "f32", rows, "f32")[5]))
        .isEqualTo(Float.NEGATIVE_INFINITY);
  }

  @Test
  void computesInDoublePrecision() {
    Random r = new Random(SEED);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 300; k++) {
      rows.add(
          new Snippet.Row(
              Double.doubleToRawLongBits(Math.scalb(r.nextDouble() - 0.5, r.nextInt(40))),
              Double.doubleToRawLongBits(Math.scalb(r.nextDouble() - 0.5, r.nextInt(40))),
              Double.doubleToRawLongBits(Math.scalb(r.nextDouble() - 0.5, r.nextInt(40)))));
    }
    for (String mode : List.of("rn", "rm", "rp", "rz")) {
      long[] sums =
          Snippet.run(device, "add." + mode + ".f64 %d, %a, %b;", "f64", rows, "f64", "f64", "f64");
      long[] fused =
          Snippet.run(
              device, "fma." + mode + ".f64 %d, %a, %b, %c;", "f64", rows, "f64", "f64", "f64");
      long[] quotients =
          Snippet.run(device, "div." + mode + ".f64 %d, %a, %b;", "f64", rows, "f64", "f64", "f64");
      for (int k = 0; k < rows.size(); k++) {
        BigDecimal a = new BigDecimal(Double.longBitsToDouble(rows.get(k).operands()[0]));
        BigDecimal b = new BigDecimal(Double.longBitsToDouble(rows.get(k).operands()[1]));
        BigDecimal c = new BigDecimal(Double.longBitsToDouble(rows.get(k).operands()[2]));
        assertRounded(Double.longBitsToDouble(sums[k]), a.add(b), mode);
        assertRounded(Double.longBitsToDouble(fused[k]), a.multiply(b).add(c), mode);
        assertRounded(
            Double.longBitsToDouble(quotients[k]), a.divide(b, new MathContext(200)), mode);
      }
    }
  }

  private static void assertRounded(double got, BigDecimal exact, String mode) {
    BigDecimal g = new BigDecimal(got);
    int side = g.compareTo(exact);
    switch (mode) {
      case "rn" -> {
        BigDecimal up = new BigDecimal(Math.nextUp(got)).subtract(exact).abs();
        BigDecimal down = new BigDecimal(Math.nextDown(got)).subtract(exact).abs();
        BigDecimal distance = g.subtract(exact).abs();
        assertThat(distance).isLessThanOrEqualTo(up);
        assertThat(distance).isLessThanOrEqualTo(down);
      }
      case "rm" ->
          assertThat(side <= 0 && new BigDecimal(Math.nextUp(got)).compareTo(exact) > 0).isTrue();
      case "rp" ->
          assertThat(side >= 0 && new BigDecimal(Math.nextDown(got)).compareTo(exact) < 0).isTrue();
      default -> {
        assertThat(g.abs()).isLessThanOrEqualTo(exact.abs());
        assertThat(new BigDecimal(Math.nextUp(Math.abs(got)))).isGreaterThan(exact.abs());
      }
    }
  }
}
