package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mbarrier}: phases, counts, bytes to come, misuse. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PhaseBarrierTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  private int[] run(int threads, String body) {
    Allocation out = device.allocate(threads * 4L);
    KernelCode code =
        Kernels.load(
            device,
            ".param .u64 out",
            Kernels.OWN_SLOT
                + ".shared .align 8 .b64 bar; .shared .align 4 .b8 tile[1024]; .reg .b32 %b;"
                + " mov.u32 %b, bar; setp.eq.u32 %p1, %r1, 0;\n"
                + body
                + "\nst.global.u32 [%rd1], %r9;");
    device.launch(code, 1, threads, out);
    return Device.ints(out);
  }

  @Test
  void letsWarpsExchangeDataOverManyPhases() {
    int[] got =
        run(
            128,
            """
            @%p1 mbarrier.init.shared.b64 [%b], 128;
            bar.sync 0;
            mov.u32 %r9, %r1; mov.u32 %r8, 0; mov.u32 %r7, tile;
            NEXT:
            mad.lo.u32 %r6, %r1, 4, %r7; st.shared.u32 [%r6], %r9;
            mbarrier.arrive.shared.b64 %rd5, [%b];
            A: mbarrier.try_wait.shared.b64 %p2, [%b], %rd5; @!%p2 bra A;
            add.u32 %r5, %r1, 33; and.b32 %r5, %r5, 127; mad.lo.u32 %r6, %r5, 4, %r7;
            ld.shared.u32 %r9, [%r6];
            mbarrier.arrive.shared.b64 %rd5, [%b];
            B: mbarrier.test_wait.shared.b64 %p2, [%b], %rd5; @!%p2 bra B;
            add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 5; @%p3 bra NEXT;
            """);
    for (int t = 0; t < 128; t++) {
      assertThat(got[t]).isEqualTo((t + 5 * 33) % 128);
    }
  }

  @Test
  void waitsForBytesAndArrivals() {
    int[] got =
        run(
            1,
            """
            mbarrier.init.shared.b64 [%b], 2;
            mbarrier.arrive.expect_tx.shared::cta.b64 %rd5, [%b], 48;
            mbarrier.pending_count.b64 %r5, %rd5;
            mbarrier.arrive.shared.b64 %rd6, [%b];
            mbarrier.pending_count.b64 %r6, %rd6;
            mbarrier.test_wait.shared.b64 %p2, [%b], %rd6;
            mbarrier.complete_tx.shared::cta.b64 [%b], 16;
            mbarrier.test_wait.shared.b64 %p3, [%b], %rd6;
            mbarrier.complete_tx.shared::cta.b64 [%b], 32;
            mbarrier.test_wait.shared.b64 %p4, [%b], %rd6;
            mbarrier.test_wait.parity.shared.b64 %p5, [%b], 0;
            mbarrier.test_wait.parity.shared.b64 %p6, [%b], 1;
            selp.u32 %r9, 1, 0, %p2; selp.u32 %r8, 2, 0, %p3; or.b32 %r9, %r9, %r8;
            selp.u32 %r8, 4, 0, %p4; or.b32 %r9, %r9, %r8; selp.u32 %r8, 8, 0, %p5; or.b32 %r9, %r9, %r8;
            selp.u32 %r8, 16, 0, %p6; or.b32 %r9, %r9, %r8;
            shl.b32 %r5, %r5, 8; shl.b32 %r6, %r6, 12; or.b32 %r9, %r9, %r5; or.b32 %r9, %r9, %r6;
            """);
    assertThat(got[0]).isEqualTo(4 | 8 | 2 << 8 | 1 << 12);
  }

  @Test
  void expectsOneLessAfterADrop() {
    int[] got =
        run(
            1,
            """
            mbarrier.init.shared.b64 [%b], 2;
            mbarrier.arrive_drop.shared.b64 %rd5, [%b];
            mbarrier.arrive.shared.b64 %rd5, [%b];
            mbarrier.arrive.shared.b64 %rd6, [%b];
            mbarrier.test_wait.shared.b64 %p2, [%b], %rd6;
            selp.u32 %r9, 1, 0, %p2;
            """);
    assertThat(got[0]).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mbarrier.arrive.shared.b64 %rd5, [%b];",
        "mbarrier.init.shared.b64 [%b], 1; mbarrier.inval.shared.b64 [%b]; mbarrier.arrive.shared.b64 _, [%b];",
        "mbarrier.init.shared.b64 [%b], 2; mbarrier.arrive.shared.b64 %rd5, [%b], 3;",
        "mbarrier.init.shared.b64 [%b], 0;"
      })
  void reportsMisuse(String body) {
    assertThatThrownBy(() -> run(1, "st.shared.u64 [%b], 0;\n" + body + " mov.u32 %r9, 0;"))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining("mbarrier.");
  }
}
