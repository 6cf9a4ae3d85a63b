package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code mma} of floats of 4 to 8 bits, dense and sparse, with and without scale factors, against
 * products of the matrices.
 */
final class ScaledMultiplyTest {
  private static final List<String> SMALL = List.of("e4m3", "e5m2", "e3m2", "e2m3", "e2m1");

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  @ParameterizedTest
  @CsvSource({"f32,false", "f16,false", "f32,true", "f16,true"})
  void multipliesEveryPairOfTypes(String sum, boolean sparse) {
    int k = sparse ? 64 : 32;
    for (String a : SMALL) {
      for (String b : SMALL) {
        ProductSample sample = new ProductSample(new Random(50), k, sum, a, b, false);
        if (sparse) {
          sample.leaveOut(0);
        }
        String form =
            String.format(
                "mma%s.sync.aligned.m16n8k%d.row.col.kind::f8f6f4.%s.%s.%s.%s",
                sparse ? ".sp::ordered_metadata" : "", k, sum, a, b, sum);
        sample.check(device, form, false);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void scalesBytes(boolean sparse) {
    int k = sparse ? 64 : 32;
    Random random = new Random(51);
    for (String a : SMALL) {
      for (String b : SMALL) {
        ProductSample sample = new ProductSample(random, k, "f32", a, b, false);
        if (sparse) {
          sample.leaveOut(0);
        }
        sample.scale(
            1,
            true,
            new int[] {random.nextInt(4), random.nextInt(2), random.nextInt(4), random.nextInt(4)});
        String form =
            String.format(
                "mma%s.sync.aligned.m16n8k%d.row.col.kind::mxf8f6f4.block_scale%s.f32.%s.%s.f32.ue8m0",
                sparse ? ".sp::ordered_metadata" : "",
                k,
                random.nextBoolean() ? ".scale_vec::1X" : "",
                a,
                b);
        sample.check(device, form, random.nextBoolean());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mxf4.block_scale,2,ue8m0",
    "mxf4.block_scale.scale_vec::2X,2,ue8m0",
    "mxf4nvf4.block_scale.scale_vec::2X,2,ue8m0",
    "mxf4nvf4.block_scale.scale_vec::4X,4,ue4m3"
  })
  void scalesPackedHalfBytes(String kind, int factors, String scale) {
    Random random = new Random(52);
    for (boolean sparse : new boolean[] {false, true}) {
      int k = sparse ? 128 : 64;
      for (int threadB = 0; threadB < 4; threadB++) {
        for (int first = 0; first + factors <= 4; first += factors) {
          ProductSample sample = new ProductSample(random, k, "f32", "e2m1", "e2m1", true);
          if (sparse) {
            sample.leaveOut(0);
          }
          int other = factors == 2 ? 2 * random.nextInt(2) : 0;
          sample.scale(
              factors, scale.equals("ue8m0"), new int[] {first, threadB % 2, other, threadB});
          String form =
              String.format(
                  "mma%s.sync.aligned.m16n8k%d.row.col.kind::%s.f32.e2m1.e2m1.f32.%s",
                  sparse ? ".sp::ordered_metadata" : "", k, kind, scale);
          sample.check(device, form, threadB % 2 == 0);
        }
      }
    }
  }

  /** The greatest and the least factors cancel; NaN among factors or elements stays in its line. */
  @Test
  void takesExtremeFactorsAndNaN() {
    ProductSample sample = new ProductSample(new Random(53), 32, "f32", "e4m3", "e5m2", false);
    sample.scale(1, true, new int[] {0, 0, 0, 0});
    for (int[] line : sample.leftScales) {
      line[0] = 254;
    }
    for (int[] line : sample.rightScales) {
      line[0] = 0;
    }
    sample.leftScales[2][0] = 255;
    sample.rightScales[5][0] = 255;
    sample.a[7][11] = 0x7f;
    String form =
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e5m2.f32.ue8m0";
    int[][] got = sample.run(device, form, false);
    for (int row = 0; row < ProductSample.ROWS; row++) {
      for (int column = 0; column < ProductSample.COLUMNS; column++) {
        if (row == 2 || row == 7 || column == 5) {
          assertThat(got[row][column]).as("row %d column %d", row, column).isEqualTo(0x7fff_ffff);
        } else {
          assertThat(Float.intBitsToFloat(got[row][column]))
              .as("row %d column %d", row, column)
              .isEqualTo((float) sample.expected(row, column));
        }
      }
    }
  }

  @Test
  void takesSubnormalAndNaNFactors() {
    ProductSample sample = new ProductSample(new Random(54), 64, "f32", "e2m1", "e2m1", true);
    sample.scale(4, false, new int[] {0, 1, 0, 2});
    for (int row = 0; row < ProductSample.ROWS; row++) {
      sample.leftScales[row][1] = row;
    }
    // The sign of a factor does not count.
    sample.leftScales[4][2] |= 0x80;
    sample.leftScales[9][3] = 0x7f;
    String form =
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3";
    int[][] got = sample.run(device, form, true);
    for (int row = 0; row < ProductSample.ROWS; row++) {
      for (int column = 0; column < ProductSample.COLUMNS; column++) {
        if (row == 9) {
          assertThat(got[row][column]).isEqualTo(0x7fff_ffff);
          continue;
        }
        assertThat(Float.intBitsToFloat(got[row][column]))
            .as("row %d column %d", row, column)
            .isEqualTo((float) sample.expected(row, column));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0,2,0,0", "4,0,0,0", "0,0,0,4", "0,0,70,0"})
  void faultsForSelectorsThatCannotBe(int byteA, int threadA, int byteB, int threadB) {
    ProductSample sample = new ProductSample(new Random(55), 32, "f32", "e4m3", "e4m3", false);
    sample.scale(1, true, new int[] {0, 0, 0, 0});
    sample.select(byteA, threadA, byteB, threadB);
    String form =
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0";
    assertThatThrownBy(() -> sample.run(device, form, true))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining("mxf8f6f4")
        .hasMessageContaining("0 to 3 and 0 to " + (byteA + threadA > 0 ? 1 : 3));
  }

  private static final String REGISTERS =
      " {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f5,%f6,%f7,%f8}";
  private static final String BYTES = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.";
  private static final String NIBBLES = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.";
  private static final String SCALES = REGISTERS + ", %r9, {0, 1}, %r10, {0, 3}";

  @ParameterizedTest
  @ValueSource(
      strings = {
        BYTES + "f32.e4m3.e4m3.f32.ue8m0" + SCALES + "|needs .block_scale with .kind::mxf8f6f4",
        BYTES
            + "block_scale.scale_vec::2X.f32.e4m3.e4m3.f32.ue8m0"
            + SCALES
            + "|there is .scale_vec::1X",
        BYTES + "block_scale.f32.e4m3.e4m3.f32.ue4m3" + SCALES + "|go with .scale_vec::4X only",
        BYTES + "block_scale.f32.e4m3.e4m3.f32" + SCALES + "|needs one of .ue8m0, .ue4m3",
        BYTES + "block_scale.f16.e4m3.e4m3.f16.ue8m0" + SCALES + "|in .f32, the same",
        BYTES + "block_scale.f32.s8.s8.f32.ue8m0" + SCALES + "|does not multiply .s8",
        BYTES + "block_scale.f32.e4m3.e4m3.f32.ue8m0" + REGISTERS + "|4 operands",
        BYTES
            + "block_scale.f32.e4m3.e4m3.f32.ue8m0"
            + REGISTERS
            + ", %r9, {0, 2}, %r10, {0, 3}|thread-id 2; with 1 to a row these can be 0 to 3 and 0 to 1",
        BYTES
            + "block_scale.f32.e4m3.e4m3.f32.ue8m0"
            + REGISTERS
            + ", %r9, {%r3, 0}, %r10, {0, 3}|register of .b16 or a constant as selector but found %r3",
        BYTES
            + "block_scale.f32.e4m3.e4m3.f32.ue8m0"
            + REGISTERS
            + ", %r9, 0, %r10, {0, 3}|{byte-id, thread-id} as operand 6",
        BYTES
            + "block_scale.f32.e4m3.e4m3.f32.ue8m0"
            + REGISTERS
            + ", 7, {0, 0}, %r10, {0, 3}|with scale factors but found 7",
        NIBBLES
            + "block_scale.f32.e2m1.e2m1.f32.ue8m0"
            + SCALES
            + "|.scale_vec::2X or .scale_vec::4X",
        NIBBLES
            + "block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0"
            + SCALES
            + "|do not go with .scale_vec::4X",
        NIBBLES
            + "block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0"
            + REGISTERS
            + ", %r9, {1, 0}, %r10, {0, 3}|0 or 2 and 0 to 1",
        NIBBLES
            + "block_scale.scale_vec::2X.f32.e4m3.e4m3.f32.ue8m0"
            + SCALES
            + "|does not multiply .e4m3",
        "mma.sync.aligned.m16n8k32.row.col.block_scale.f32.e4m3.e4m3.f32.ue8m0"
            + SCALES
            + "|needs .kind::mxf8f6f4, .kind::mxf4",
        "mma.sync.aligned.m16n8k32.row.col.scale_vec::1X.f32.e4m3.e4m3.f32"
            + REGISTERS
            + "|no .block_scale",
        "mma.sync.aligned.m16n8k32.row.col.f32.e3m2.e4m3.f32"
            + REGISTERS
            + "|needs .kind::f8f6f4 for .e3m2",
        "mma.sync.aligned.m16n8k16.row.col.kind::f8f6f4.f32.e3m2.e4m3.f32"
            + REGISTERS
            + "|there is m16n8k32",
        "mma.sync.aligned.m16n8k16.row.col.kind::f8f6f4.f32.f16.f16.f32"
            + REGISTERS
            + "|does not multiply .f16"
      })
  void saysWhatIsWrong(String example) {
    Refusals.check(device, example);
  }
}
