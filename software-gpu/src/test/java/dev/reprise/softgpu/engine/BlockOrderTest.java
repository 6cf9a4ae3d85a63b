package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks that spin until another block of the grid has done something. */
@Timeout(60)
final class BlockOrderTest {
  /**
   * Each block waits for the flag of its neighbour, unless it has none, and then sets its own to
   * one more.
   */
  private static String chain(String neighbour) {
    return """
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r3, 0;
    """
        + neighbour
        + """
        @%p1 bra SET;
        WAIT: ld.acquire.gpu.global.u32 %r3, [%rd3]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT;
        SET: add.u32 %r3, %r3, 1; st.release.gpu.global.u32 [%rd1], %r3;
        """;
  }

  private static int[] run(int workers, int blocks, String neighbour) {
    try (Device device = new Device(workers)) {
      Allocation out = device.allocate(4L * blocks);
      device.launch(Kernels.load(device, ".param .u64 out", chain(neighbour)), blocks, 32, out);
      return Device.ints(out);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 10000", "2, 10000", "3, 5000"})
  void eachWaitsForTheOneBefore(int workers, int blocks) {
    int[] got = run(workers, blocks, "add.s64 %rd3, %rd1, -4; setp.eq.u32 %p1, %r1, 0;\n");
    for (int k = 0; k < blocks; k++) {
      assertThat(got[k]).isEqualTo(k + 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 300", "2, 300"})
  void eachWaitsForTheOneBehind(int workers, int blocks) {
    int[] got =
        run(
            workers,
            blocks,
            "add.s64 %rd3, %rd1, 4; sub.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r1, %r2;\n");
    for (int k = 0; k < blocks; k++) {
      assertThat(got[k]).isEqualTo(blocks - k);
    }
  }
}
