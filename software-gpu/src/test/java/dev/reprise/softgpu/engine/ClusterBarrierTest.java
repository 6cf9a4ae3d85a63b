package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code barrier.cluster} and barriers in shared memory of other blocks. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ClusterBarrierTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /** Each thread takes the value of the same thread in the next block and adds its own number. */
  private static final String ROUNDS =
      """
      .shared .align 16 .b8 tile[512];
      mov.u32 %r6, tile; mad.lo.u32 %r6, %r2, 4, %r6; mov.u32 %r8, %cluster_nctarank;
      add.u32 %r9, %r3, 1; rem.u32 %r9, %r9, %r8; mapa.shared::cluster.u32 %r10, %r6, %r9;
      mov.u32 %r11, %r1; mov.u32 %r12, 0;
      ROUND:
      st.shared.u32 [%r6], %r11;
      barrier.cluster.arrive.release; mul.lo.u32 %r13, %r12, 3; barrier.cluster.wait.acquire;
      ld.shared::cluster.u32 %r11, [%r10]; add.u32 %r11, %r11, %r1; add.u32 %r11, %r11, %r13;
      barrier.cluster.arrive.relaxed; barrier.cluster.wait;
      add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 7; @%p1 bra ROUND;
      st.global.v4.u32 [%rd1], {%r11, %r11, %r11, %r11};
      """;

  private static int[] rounds(int grid, int block, int cluster) {
    int[] value = new int[grid * block];
    for (int t = 0; t < value.length; t++) {
      value[t] = t;
    }
    for (int round = 0; round < 7; round++) {
      int[] old = value.clone();
      for (int t = 0; t < value.length; t++) {
        int b = t / block;
        int next = b / cluster * cluster + (b % cluster + 1) % cluster;
        value[t] = old[next * block + t % block] + t + 3 * round;
      }
    }
    return value;
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void letsTheBlocksOfAClusterMeet(Execution execution) {
    int[] got = ClusterKernels.run(device, execution, 12, 96, 4, ROUNDS);
    int[] want = rounds(12, 96, 4);
    for (int t = 0; t < want.length; t++) {
      assertThat(got[4 * t]).as("thread %d", t).isEqualTo(want[t]);
    }
  }

  @Test
  void meetsInAnyOrderOfBlocksAndWarps() {
    KernelCode code = ClusterKernels.load(device, "", ClusterKernels.OWN_SLOT + ROUNDS);
    int[] want = rounds(12, 96, 3);
    for (long seed = 1; seed <= 40; seed++) {
      long fixed = seed;
      Allocation out = device.allocate(12 * 96 * 16L);
      try (Engine engine = new Engine(device.memory, 1)) {
        engine.interleave(() -> fixed);
        engine.run(ClusterKernels.request(code, 12, 96, 3, out, out));
      }
      int[] got = Device.ints(out);
      for (int t = 0; t < want.length; t++) {
        assertThat(got[4 * t]).as("seed %d, thread %d", seed, t).isEqualTo(want[t]);
      }
      device.memory.free(out);
    }
  }

  @Test
  void makesWayForClustersThatHaveNotBegun() {
    // One block of each cluster counts itself and waits for those of all clusters; the other one
    // waits for it at the barrier of the cluster.
    KernelCode code =
        ClusterKernels.load(
            device,
            "",
            ClusterKernels.OWN_SLOT
                + """
                ld.param.u64 %rd2, [in]; setp.ne.u32 %p1, %r3, 0; @%p1 bra MEET;
                mov.u32 %r6, %nclusterid.x; atom.global.add.u32 %r7, [%rd2], 1;
                WAIT: ld.volatile.global.u32 %r8, [%rd2]; setp.lt.u32 %p2, %r8, %r6; @%p2 bra WAIT;
                MEET: barrier.cluster.arrive; barrier.cluster.wait;
                ld.volatile.global.u32 %r8, [%rd2]; st.global.u32 [%rd1], %r8;
                """);
    for (int workers = 1; workers <= 2; workers++) {
      for (long seed = 0; seed <= (workers == 1 ? 2 : 0); seed++) {
        long fixed = seed;
        Allocation out = device.of(new int[4 * 12]);
        try (Engine engine = new Engine(device.memory, workers)) {
          engine.interleave(() -> fixed);
          engine.run(ClusterKernels.request(code, 12, 1, 2, out, device.of(0)));
        }
        int[] got = Device.ints(out);
        for (int block = 0; block < 12; block++) {
          assertThat(got[4 * block]).as("seed %d, block %d", seed, block).isEqualTo(6);
        }
      }
    }
  }

  @Test
  void waitsForNoThreadThatHasExited() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            4,
            64,
            4,
            """
            setp.ge.u32 %p1, %r2, 10; @%p1 exit;
            setp.eq.u32 %p2, %r3, 3; @%p2 exit;
            barrier.cluster.arrive;
            setp.eq.u32 %p3, %r2, 5; @%p3 exit;
            barrier.cluster.wait;
            barrier.cluster.arrive; barrier.cluster.wait;
            mov.u32 %r6, 77; st.global.u32 [%rd1], %r6;
            """);
    for (int t = 0; t < 256; t++) {
      boolean stays = t % 64 < 10 && t % 64 != 5 && t / 64 != 3;
      assertThat(got[4 * t] == 77).as("thread %d", t).isEqualTo(stays);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "barrier.cluster.arrive; barrier.cluster.arrive;|arrives again before it has waited",
        "barrier.cluster.wait;|waits without having arrived",
        "barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.wait;|waits without having arrived"
      })
  void reportsMisuse(String what) {
    String[] parts = what.split("\\|", 2);
    assertThatThrownBy(() -> ClusterKernels.run(device, Execution.ADAPTIVE, 2, 32, 2, parts[0]))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining(parts[1]);
  }

  @Test
  void tellsWhoWaitsForACluster() {
    String body =
        """
        setp.eq.u32 %p1, %r3, 1; @%p1 bra OTHER;
        barrier.cluster.arrive; barrier.cluster.wait;
        exit;
        OTHER: barrier.sync 3, 64;
        """;
    assertThatThrownBy(() -> ClusterKernels.run(device, Execution.ADAPTIVE, 2, 32, 2, body))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining("deadlock")
        .hasMessageContaining("barrier.cluster.wait waits for its cluster")
        .hasMessageContaining("barrier.sync waits at barrier 3");
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void arrivesAtABarrierOfAnotherBlock(Execution execution) {
    // Both blocks arrive at the barrier of block 0, one thread after the other; then it goes on.
    int[] got =
        ClusterKernels.run(
            device,
            execution,
            2,
            64,
            2,
            """
            .shared .align 8 .b64 bar; .shared .align 4 .u32 count;
            setp.eq.u32 %p1, %r2, 0; mov.u32 %r6, bar; st.shared.u32 [count], 0;
            @%p1 mbarrier.init.shared::cta.b64 [%r6], 128;
            fence.mbarrier_init.release.cluster;
            barrier.cluster.arrive; barrier.cluster.wait;
            mapa.shared::cluster.u32 %r7, %r6, 0; mapa.shared::cluster.u32 %r8, count, 0;
            red.shared::cluster.add.u32 [%r8], %r2;
            mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];
            setp.eq.u32 %p2, %r3, 1; @%p2 bra DONE;
            WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r6], 0;
            @!%p3 bra WAIT;
            ld.shared.u32 %r9, [count]; st.global.u32 [%rd1], %r9;
            DONE: barrier.cluster.arrive; barrier.cluster.wait;
            """);
    for (int t = 0; t < 128; t++) {
      assertThat(got[4 * t]).isEqualTo(t < 64 ? 2 * 63 * 64 / 2 : 0);
    }
  }

  @Test
  void countsBytesAtABarrierOfAnotherBlock() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            2,
            1,
            2,
            """
            .shared .align 8 .b64 bar; mov.u32 %r6, bar;
            mbarrier.init.shared::cta.b64 [%r6], 2;
            barrier.cluster.arrive; barrier.cluster.wait;
            xor.b32 %r7, %r3, 1; mapa.shared::cluster.u32 %r8, %r6, %r7;
            mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r8], 32;
            mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r8], 16;
            mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%r8], 8;
            barrier.cluster.arrive; barrier.cluster.wait;
            mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r6], 0;
            mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r8], 48;
            barrier.cluster.arrive; barrier.cluster.wait;
            mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r6], 0;
            barrier.cluster.arrive; barrier.cluster.wait;
            mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r8], 8;
            barrier.cluster.arrive; barrier.cluster.wait;
            mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r6], 0;
            // One arrival is enough for the next phase.
            mbarrier.arrive.shared::cta.b64 _, [%r6];
            mbarrier.test_wait.parity.shared::cta.b64 %p4, [%r6], 1;
            selp.u32 %r10, 1, 0, %p1; selp.u32 %r11, 1, 0, %p2;
            selp.u32 %r12, 1, 0, %p3; selp.u32 %r13, 1, 0, %p4;
            st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};
            """);
    assertThat(got).containsExactly(0, 0, 1, 1, 0, 0, 1, 1);
  }
}
