package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code fma} of f16 and bf16, rounded either way, with and without {@code .oob}. */
final class HalfFusedTest {
  private static final int OUTSIDE = 0x7ff7;

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  private static int operand(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> OUTSIDE;
      // Other NaNs, and infinities.
      case 1 ->
          new int[] {0x7fff, 0x7eff, 0xfff7, 0x7ff6, 0x7ff8, 0x7c00, 0xff80, 0x8000, 1}
              [random.nextInt(9)];
      default -> random.nextInt(0x10000);
    };
  }

  private static int expected(
      SmallFloat format, int a, int b, int c, String form, RoundingMode mode) {
    if (form.contains(".oob") && (a == OUTSIDE || b == OUTSIDE)) {
      return 0;
    }
    double x = format.value(a);
    double y = format.value(b);
    double z = format.value(c);
    double sum = x * y + z;
    int code;
    if (Double.isNaN(sum)) {
      return form.contains(".sat") ? 0 : 0x7fff;
    } else if (Double.isInfinite(x) || Double.isInfinite(y) || Double.isInfinite(z)) {
      code = (sum < 0 ? format.sign() : 0) | format.largest() + 1;
    } else {
      BigDecimal exact = new BigDecimal(x).multiply(new BigDecimal(y)).add(new BigDecimal(z));
      code = exact.signum() == 0 ? zero(format, x * y, z, mode) : format.round(exact, mode);
    }
    double value = format.value(code);
    boolean negative = (code & format.sign()) != 0;
    if (form.contains(".sat")) {
      return value > 1 ? 0x3c00 : negative ? 0 : code;
    }
    return form.contains(".relu") && negative ? 0 : code;
  }

  private static boolean negative(double v) {
    return Double.doubleToRawLongBits(v) < 0;
  }

  /** An exact zero: of the sign of both, or else negative only where numbers are rounded down. */
  private static int zero(SmallFloat format, double product, double c, RoundingMode mode) {
    boolean same = negative(product) == negative(c) && product == 0;
    boolean minus = same ? negative(c) : mode == RoundingMode.FLOOR;
    return minus ? format.sign() : 0;
  }

  @ParameterizedTest
  @CsvSource({
    "fma.rn.oob.,f16",
    "fma.rn.oob.relu.,f16",
    "fma.rn.oob.sat.,f16",
    "fma.rn.oob.,bf16",
    "fma.rn.oob.relu.,bf16",
    "fma.rz.oob.,bf16",
    "fma.rm.oob.relu.,bf16",
    "fma.rp.oob.,bf16",
    "fma.rz.,bf16",
    "fma.rm.,bf16",
    "fma.rp.,bf16",
    "fma.rp.relu.,bf16",
    "fma.rm.relu.,bf16"
  })
  void roundsOnceAndGivesZeroForWhatLiesOutside(String operation, String type) {
    SmallFloat format = SmallFloat.of(type);
    Random random = new Random(23);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 4000; k++) {
      rows.add(new Snippet.Row(operand(random), operand(random), operand(random)));
    }
    String form = operation + type;
    RoundingMode mode =
        switch (operation.substring(4, 6)) {
          case "rz" -> RoundingMode.DOWN;
          case "rm" -> RoundingMode.FLOOR;
          case "rp" -> RoundingMode.CEILING;
          default -> RoundingMode.HALF_EVEN;
        };
    long[] single =
        Snippet.run(device, form + " %d, %a, %b, %c;", "b16", rows, "b16", "b16", "b16");
    long[] pair =
        Snippet.run(
            device,
            "mov.b32 %x1, {%a, %b}; mov.b32 %x2, {%b, %c}; mov.b32 %x3, {%c, %a}; mov.b32 %d, %x1;"
                + form
                + "x2 %d, %d, %x2, %x3;",
            "b32",
            rows,
            "b16",
            "b16",
            "b16");
    for (int k = 0; k < rows.size(); k++) {
      long[] o = rows.get(k).operands();
      int low = expected(format, (int) o[0], (int) o[1], (int) o[2], form, mode);
      int high = expected(format, (int) o[1], (int) o[2], (int) o[0], form, mode);
      String what = String.format("seed 23, row %d: %s %x %x %x", k, form, o[0], o[1], o[2]);
      assertThat((int) single[k] & 0xffff).as(what).isEqualTo(low);
      assertThat((int) pair[k]).as("pair, %s", what).isEqualTo(low | high << 16);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fma.rn.ftz.oob.f16 %rs1, %rs1, %rs2, %rs3|.oob, which does not go together with .ftz",
        "fma.rn.oob.f32 %f1, %f1, %f2, %f3|.oob, which is for halves only",
        "fma.rn.sat.bf16 %rs1, %rs1, %rs2, %rs3|.sat, which is for .f32, .f16",
        "fma.rz.f16 %rs1, %rs1, %rs2, %rs3|needs .rn",
        "fma.f32 %f1, %f1, %f2, %f3|needs .rn, .rz, .rm or .rp",
        "fma.rn.f16.f32 %rs1, %f1, %f2, %rs3|for .f32 only"
      })
  void saysWhatIsWrong(String example) {
    Refusals.check(device, example);
  }
}
