package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mma.sp} against products of the whole matrices. */
final class SparseMultiplyTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  @ParameterizedTest
  @CsvSource({
    "16,f32,f16,f16,4", "16,f16,f16,f16,4", "32,f32,f16,f16,2", "32,f16,f16,f16,2",
    "16,f32,bf16,bf16,4", "32,f32,bf16,bf16,2", "8,f32,tf32,tf32,4", "16,f32,tf32,tf32,2",
    "64,f32,e4m3,e5m2,1", "64,f32,e5m2,e4m3,1", "32,s32,s8,u8,2", "32,s32,u8,s8,2",
    "64,s32,s8,s8,1", "64,s32,u8,u8,1", "64,s32,s4,u4,2", "64,s32,u4,s4,2",
    "128,s32,s4,s4,1", "128,s32,u4,u4,1"
  })
  void multipliesEveryShape(int k, String sum, String a, String b, int selectors) {
    for (String ordered : new String[] {"", "::ordered_metadata"}) {
      for (int selector = 0; selector < selectors; selector++) {
        ProductSample sample = new ProductSample(new Random(40 + k), k, sum, a, b, false);
        sample.leaveOut(selector);
        String form =
            String.format(
                "mma.sp%s.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s", ordered, k, sum, a, b, sum);
        sample.check(device, form, false);
      }
    }
  }

  /** An infinity meets nothing where a has no element, and NaN comes of it where a has a zero. */
  @Test
  void multipliesOnlyWhatIsThere() {
    ProductSample sample = new ProductSample(new Random(41), 16, "f32", "f16", "f16", false);
    sample.leaveOut(0);
    for (int row = 0; row < ProductSample.ROWS; row++) {
      for (int k = 0; k < 16; k++) {
        sample.a[row][k] = row == 3 ? 0 : 0x3c00;
      }
    }
    for (int n = 0; n < ProductSample.COLUMNS; n++) {
      sample.b[5][n] = 0x7c00;
    }
    int[][] got = sample.run(device, "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", false);
    int there = 0;
    for (int row = 0; row < ProductSample.ROWS; row++) {
      float v = Float.intBitsToFloat(got[row][2]);
      if (sample.absent[row][5]) {
        assertThat(v).as("row %d", row).isEqualTo((float) sample.expected(row, 2));
      } else if (row == 3) {
        assertThat(v).isNaN();
      } else {
        assertThat(v).as("row %d", row).isInfinite();
        there++;
      }
    }
    assertThat(there).isBetween(1, 14);
  }

  private static final String FOUR =
      " {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, {%f5,%f6,%f7,%f8}, ";
  private static final String TWO = " {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r5,%r6}, {%f5,%f6,%f7,%f8}, ";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
            + TWO
            + "%r9, 4|a constant from 0 to 3",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + TWO + "%r9, %r8|not %r8",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
            + TWO
            + "7, 0|register of .b32 with metadata but found 7",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32"
            + FOUR
            + "%r9, 2|a constant from 0 to 1",
        "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32"
            + FOUR
            + "%r9, 1|needs 0 as sparsity selector",
        "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
            + TWO
            + "%r9, 0|there is m16n8k16, m16n8k32",
        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32"
            + TWO
            + "%r9, 0|the same for c and d",
        "mma.sp.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16"
            + FOUR
            + "%r9, 0|in .f32, the same for c and d; not in .f16",
        "mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32"
            + FOUR
            + "%r9, 0|needs .sp::ordered_metadata",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32"
            + TWO
            + "%r9, 0|multiply .f16 by .bf16",
        "mma.sp.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"
            + TWO
            + "%r9, 0|.f64 where a is sparse",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
            + FOUR
            + "%r9, 0|needs 2 registers as operand 2",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + TWO + "%r9|5 operands"
      })
  void saysWhatIsWrong(String example) {
    Refusals.check(device, example);
  }
}
