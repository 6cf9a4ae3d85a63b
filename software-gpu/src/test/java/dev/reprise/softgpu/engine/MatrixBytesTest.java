package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ldmatrix} and {@code stmatrix} of bytes, and of what is unpacked to bytes. */
final class MatrixBytesTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /**
   * Thread t puts 16 bytes, four words of {@code in}, into line t of shared memory, does the
   * instruction on registers %r0 to %r3 with the address of line {@code order[t]}, and stores those
   * registers, then what line t holds.
   */
  private static final String KERNEL =
      """
      .shared .align 16 .b8 lines[512];
      mov.u32 %r10, %tid.x; mul.wide.u32 %rd3, %r10, 16; mov.u32 %r11, lines;
      mad.lo.u32 %r12, %r10, 16, %r11; ld.param.u64 %rd4, [in]; add.u64 %rd4, %rd4, %rd3;
      ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd4]; st.shared.v4.u32 [%r12], {%r0, %r1, %r2, %r3};
      bar.sync 0;
      mul.wide.u32 %rd5, %r10, 4; ld.param.u64 %rd6, [order]; add.u64 %rd6, %rd6, %rd5;
      ld.global.u32 %r13, [%rd6]; mad.lo.u32 %r14, %r13, 16, %r11;
      INSTRUCTION
      bar.sync 0;
      ld.param.u64 %rd7, [out]; mul.wide.u32 %rd8, %r10, 32; add.u64 %rd7, %rd7, %rd8;
      st.global.v4.u32 [%rd7], {%r0, %r1, %r2, %r3};
      ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r12]; st.global.v4.u32 [%rd7+16], {%r4, %r5, %r6, %r7};
      """;

  private int[] run(String instruction, int[] in, int[] order) {
    KernelCode code =
        Kernels.load(
            device,
            ".param .u64 in, .param .u64 order, .param .u64 out",
            KERNEL.replace("INSTRUCTION", instruction));
    Allocation out = device.allocate(32 * 32);
    device.launch(code, 1, 32, device.of(in), device.of(order), out);
    return Device.ints(out);
  }

  private static int[] words(Random random) {
    return random.ints(128).toArray();
  }

  private static int[] shuffled(Random random) {
    int[] order = new int[32];
    for (int k = 0; k < 32; k++) {
      int other = random.nextInt(k + 1);
      order[k] = order[other];
      order[other] = k;
    }
    return order;
  }

  /** Element k of a line of four words, of that many bits each, one after the other. */
  private static int element(int[] words, int line, int k, int bits) {
    int v = 0;
    for (int b = 0; b < bits; b++) {
      int at = k * bits + b;
      v |= (words[line * 4 + at / 32] >>> at % 32 & 1) << b;
    }
    return v;
  }

  private static String registers(int count) {
    return "{" + String.join(", ", "%r0 %r1 %r2 %r3".split(" ")).substring(0, 5 * count - 2) + "}";
  }

  @ParameterizedTest
  @CsvSource({
    "m8n16.x1,b8x16.b6x16_p32,6,1",
    "m8n16.x2,b8x16.b6x16_p32,6,2",
    "m8n16.x4.shared,b8x16.b6x16_p32,6,4",
    "m8n16.x1.shared::cta,b8x16.b4x16_p64,4,1",
    "m8n16.x4,b8x16.b4x16_p64,4,4",
    "m16n16.x1.trans.shared,b8,8,2",
    "m16n16.x2.trans,b8,8,4",
    "m16n16.x1.trans,b8x16.b6x16_p32,6,2",
    "m16n16.x2.trans.shared,b8x16.b6x16_p32,6,4",
    "m16n16.x2.trans.shared,b8x16.b4x16_p64,4,4"
  })
  void loadsFragments(String shape, String format, int bits, int registers) {
    Random random = new Random(60);
    int[] in = words(random);
    int[] order = shuffled(random);
    boolean generic = !shape.contains("shared");
    String instruction =
        (generic ? "cvt.u64.u32 %rd9, %r14; cvta.shared.u64 %rd9, %rd9; " : "")
            + String.format(
                "ldmatrix.sync.aligned.%s.%s %s, [%s];",
                shape, format, registers(registers), generic ? "%rd9" : "%r14");
    int[] got = run(instruction, in, order);
    boolean tall = shape.startsWith("m16n16");
    for (int lane = 0; lane < 32; lane++) {
      for (int r = 0; r < registers; r++) {
        for (int k = 0; k < 4; k++) {
          int row = lane / 4 + (tall ? 8 * (r % 2) : 0);
          int column = lane % 4 * 4 + k;
          // The addresses are those of the columns of a tall matrix.
          int line = tall ? order[r / 2 * 16 + column] : order[r * 8 + row];
          assertThat(got[lane * 8 + r] >>> 8 * k & 0xff)
              .as("seed 60, lane %d register %d element %d", lane, r, k)
              .isEqualTo(element(in, line, tall ? row : column, bits));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void storesFragmentsByColumns(int count) {
    Random random = new Random(61);
    int[] in = words(random);
    int[] order = shuffled(random);
    int[] got =
        run(
            String.format(
                "stmatrix.sync.aligned.m16n8.x%d.trans.shared.b8 [%%r14], %s;",
                count, registers(count)),
            in,
            order);
    byte[][] want = new byte[32][16];
    for (int line = 0; line < 32; line++) {
      for (int k = 0; k < 16; k++) {
        want[line][k] = (byte) element(in, line, k, 8);
      }
    }
    for (int lane = 0; lane < 32; lane++) {
      for (int r = 0; r < count; r++) {
        for (int k = 0; k < 4; k++) {
          int row = lane / 4 + (k < 2 ? 0 : 8);
          int column = lane % 4 * 2 + k % 2;
          want[order[8 * r + column]][row] = (byte) (in[lane * 4 + r] >>> 8 * k);
        }
      }
    }
    for (int line = 0; line < 32; line++) {
      for (int k = 0; k < 16; k++) {
        int word = got[line * 8 + 4 + k / 4];
        assertThat((byte) (word >>> 8 * (k % 4)))
            .as("seed 61, line %d byte %d", line, k)
            .isEqualTo(want[line][k]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r0, %r1}, [%r9]|needs .trans",
        "ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {%r0, %r1}, [%r9]|for .x1 and .x2 only",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b16 {%r0, %r1}, [%r9]|needs .b8, .b8x16.b6x16_p32",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0}, [%r9]|needs 2 registers as operand 1",
        "ldmatrix.sync.aligned.m8n16.x1.trans.shared.b8x16.b4x16_p64 {%r0}, [%r9]|without .trans only",
        "ldmatrix.sync.aligned.m8n16.x1.shared.b8 {%r0}, [%r9]|needs .b8x16.b6x16_p32 or",
        "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16 {%r0}, [%r9]|.b6x16_p32, .b4x16_p64",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b8 {%r0}, [%r9]|elements of .b16",
        "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r0}, [%rd1]|is for shared memory",
        "stmatrix.sync.aligned.m16n8.x1.shared.b8 [%r9], {%r0}|needs .trans",
        "stmatrix.sync.aligned.m16n8.x1.trans.shared.b16 [%r9], {%r0}|elements of .b8",
        "stmatrix.sync.aligned.m16n16.x1.trans.shared.b8 [%r9], {%r0}|.m8n8, .m16n8"
      })
  void saysWhatIsWrong(String example) {
    Refusals.check(device, example);
  }
}
