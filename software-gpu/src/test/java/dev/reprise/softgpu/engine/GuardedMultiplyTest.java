package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code fma.oob} of f16 and bf16 against exact sums. */
final class GuardedMultiplyTest {
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

  private static int expected(SmallFloat format, int a, int b, int c, String after) {
    if (a == OUTSIDE || b == OUTSIDE) {
      return 0;
    }
    double x = format.value(a);
    double y = format.value(b);
    double z = format.value(c);
    double sum = x * y + z;
    int code;
    if (Double.isNaN(sum)) {
      return after.equals("sat.") ? 0 : 0x7fff;
    } else if (Double.isInfinite(x) || Double.isInfinite(y) || Double.isInfinite(z)) {
      code = (sum < 0 ? format.sign() : 0) | format.largest() + 1;
    } else {
      BigDecimal exact = new BigDecimal(x).multiply(new BigDecimal(y)).add(new BigDecimal(z));
      // A zero that is exact has the sign that both agree on.
      boolean negative = 1 / sum == Double.NEGATIVE_INFINITY;
      code = exact.signum() == 0 && negative ? format.sign() : format.nearest(exact);
    }
    double value = format.value(code);
    return switch (after) {
      case "relu." -> (code & format.sign()) != 0 ? 0 : code;
      case "sat." -> value > 1 ? 0x3c00 : (code & format.sign()) != 0 ? 0 : code;
      default -> code;
    };
  }

  @ParameterizedTest
  @CsvSource({"f16,''", "f16,relu.", "f16,sat.", "bf16,''", "bf16,relu."})
  void givesZeroForWhatLiesOutside(String type, String after) {
    SmallFloat format = SmallFloat.of(type);
    Random random = new Random(23);
    List<Snippet.Row> rows = new ArrayList<>();
    for (int k = 0; k < 4000; k++) {
      rows.add(new Snippet.Row(operand(random), operand(random), operand(random)));
    }
    String form = "fma.rn.oob." + after + type;
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
      int low = expected(format, (int) o[0], (int) o[1], (int) o[2], after);
      int high = expected(format, (int) o[1], (int) o[2], (int) o[0], after);
      String what = String.format("seed 23, row %d: %s %x %x %x", k, form, o[0], o[1], o[2]);
      assertThat((int) single[k] & 0xffff).as(what).isEqualTo(low);
      assertThat((int) pair[k]).as("pair, %s", what).isEqualTo(low | high << 16);
    }
  }

  @Test
  void isForHalvesOnlyAndKeepsSubnormals() {
    assertThatThrownBy(
            () -> device.load(Kernels.text("", "", "fma.rn.ftz.oob.f16 %rs1, %rs1, %rs2, %rs3;")))
        .hasMessageContaining(".ftz");
    assertThatThrownBy(
            () -> device.load(Kernels.text("", "", "fma.rn.oob.f32 %f1, %f1, %f2, %f3;")))
        .hasMessageContaining("fma.rn.oob.f32");
  }
}
