package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Barriers of a block and of a warp. */
@Timeout(60)
final class BarrierTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private int[] run(int threads, String body) {
    Allocation out = device.allocate(threads * 4L);
    device.launch(
        Kernels.load(
            device, ".param .u64 out", ".shared .align 4 .b8 s[4096];" + Kernels.OWN_SLOT + body),
        1,
        threads,
        out);
    return Device.ints(out);
  }

  @Test
  void ordersSharedMemoryBetweenWarps() {
    int[] got =
        run(
            256,
            """
            mov.u32 %r5, s; shl.b32 %r6, %r1, 2; add.u32 %r7, %r5, %r6; st.shared.u32 [%r7], %r1;
            bar.sync 0;
            sub.u32 %r8, 1020, %r6; add.u32 %r8, %r5, %r8; ld.shared.u32 %r9, [%r8];
            barrier.sync 0; st.shared.u32 [%r7], %r9; bar.sync 0;
            ld.shared.u32 %r10, [s+4]; add.u32 %r9, %r9, %r10; st.global.u32 [%rd1], %r9;
            """);
    for (int t = 0; t < 256; t++) {
      assertThat(got[t]).isEqualTo(255 - t + 254);
    }
  }

  @Test
  void countsOnlyThreadsThatHaveNotExited() {
    int[] got =
        run(
            100,
            "setp.ge.u32 %p1, %r1, 70; @%p1 ret; st.shared.u32 [s], 5; bar.sync 0; ld.shared.u32 %r5, [s]; st.global.u32 [%rd1], %r5;");
    for (int t = 0; t < 100; t++) {
      assertThat(got[t]).isEqualTo(t < 70 ? 5 : 0);
    }
  }

  @Test
  void finishesABarrierInDivergentCodeThatAllThreadsReach() {
    int[] got =
        run(
            64,
            """
            and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra EVEN;
            st.shared.u32 [s], 3; barrier.sync 1; bra JOIN;
            EVEN: barrier.sync 1;
            JOIN: ld.shared.u32 %r6, [s]; st.global.u32 [%rd1], %r6;
            """);
    assertThat(got).containsOnly(3);
  }

  @Test
  void synchronisesSomeWarpsByThreadCount() {
    int[] got =
        run(
            96,
            """
            setp.ge.u32 %p1, %r1, 64; @%p1 bra PRODUCE;
            bar.sync 2, 96; ld.shared.u32 %r5, [s]; bar.sync 3, 64; st.global.u32 [%rd1], %r5; ret;
            PRODUCE: st.shared.u32 [s], 11; bar.arrive 2, 96; st.global.u32 [%rd1], 1;
            """);
    for (int t = 0; t < 96; t++) {
      assertThat(got[t]).isEqualTo(t < 64 ? 11 : 1);
    }
  }

  @Test
  void reducesPredicates() {
    int[] got =
        run(
            80,
            """
            setp.lt.u32 %p1, %r1, 33; bar.red.popc.u32 %r5, 0, %p1;
            bar.red.or.pred %p2, 0, %p1; bar.red.and.pred %p3, 0, %p1; bar.red.and.pred %p4, 0, !%p5;
            selp.u32 %r6, 100, 0, %p2; selp.u32 %r7, 1000, 0, %p3; selp.u32 %r8, 10000, 0, %p4;
            add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7; add.u32 %r5, %r5, %r8; st.global.u32 [%rd1], %r5;
            """);
    assertThat(got).containsOnly(33 + 100 + 10000);
  }

  @Test
  void synchronisesLanesOfAWarpAtDifferentInstructions() {
    int[] got =
        run(
            32,
            """
            setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
            st.shared.u32 [s], 21; bar.warp.sync 0xffffffff; bra JOIN;
            LOW: bar.warp.sync 0xffffffff; ld.shared.u32 %r5, [s]; st.global.u32 [%rd1], %r5; ret;
            JOIN: st.global.u32 [%rd1], 22;
            """);
    for (int t = 0; t < 32; t++) {
      assertThat(got[t]).isEqualTo(t < 16 ? 21 : 22);
    }
  }

  @Test
  void reportsThreadsThatWaitAtDifferentBarriers() {
    assertThatThrownBy(() ->
            run(
                64,
                """
                setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
                bar.sync 0; ret;
                LOW: bar.sync 1;
                """))
        .isInstanceOfSatisfying(DeviceFault.class, f -> assertThat(f.cudaError()).isEqualTo(719))
        .hasMessageContaining("deadlock")
        .hasMessageContaining("waits at barrier 0")
        .hasMessageContaining("waits at barrier 1")
        .hasMessageContaining("lanes 0x0000ffff")
        .hasMessageContaining("PTX line");
  }

  @Test
  void reportsLanesThatWaitForAbsentOnes() {
    assertThatThrownBy(() ->
            run(
                32,
                """
                setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
                bar.warp.sync 0xffffffff; ret;
                LOW: bar.sync 0;
                """))
        .isInstanceOf(DeviceFault.class)
        .hasMessageContaining("waits for lanes of its warp");
  }
}
