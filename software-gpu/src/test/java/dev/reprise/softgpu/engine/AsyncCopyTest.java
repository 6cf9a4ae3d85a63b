package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies arrive in shared memory when they are waited for, and not before. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AsyncCopyTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /** Each thread copies 4 bytes to its own slot of shared memory, which held 1000 + thread. */
  private static final String START =
      """
      .shared .align 16 .b8 tile[1024]; .reg .b32 %s, %t;
      mov.u32 %r1, %tid.x; mov.u32 %s, tile; mad.lo.u32 %s, %r1, 4, %s;
      add.u32 %t, %r1, 1000; st.shared.u32 [%s], %t; st.shared.u32 [%s+512], %t;
      ld.param.u64 %rd2, [in]; mad.wide.u32 %rd2, %r1, 4, %rd2;
      ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, 16, %rd1;
      """;

  private int[] run(Execution execution, int threads, String body, int... in) {
    Allocation out = device.allocate(threads * 16L);
    KernelCode code = Kernels.load(device, ".param .u64 in, .param .u64 out", START + body);
    try (Engine engine = new Engine(device.memory, 1, execution)) {
      Device.launch(engine, code, Dim3.of(1), Dim3.of(threads), 0, device.of(in), out);
    }
    return Device.ints(out);
  }

  private static int[] numbers(int n) {
    int[] v = new int[n];
    for (int k = 0; k < n; k++) {
      v[k] = 7 * k + 1;
    }
    return v;
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void showsOldDataToWhoReadsTooEarly(Execution execution) {
    int[] got =
        run(
            execution,
            64,
            """
            cp.async.ca.shared.global [%s], [%rd2], 4;
            ld.shared.u32 %r2, [%s];
            cp.async.commit_group;
            ld.shared.u32 %r3, [%s];
            cp.async.wait_group 0;
            ld.shared.u32 %r4, [%s];
            st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r4};
            """,
            numbers(64));
    for (int t = 0; t < 64; t++) {
      assertThat(got[4 * t]).isEqualTo(1000 + t);
      assertThat(got[4 * t + 1]).isEqualTo(1000 + t);
      assertThat(got[4 * t + 2]).isEqualTo(7 * t + 1);
    }
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void letsOnlyTheOldestGroupsArrive(Execution execution) {
    int[] got =
        run(
            execution,
            32,
            """
            cp.async.ca.shared.global [%s], [%rd2], 4;
            cp.async.commit_group;
            cp.async.ca.shared.global [%s+512], [%rd2], 4;
            cp.async.commit_group;
            cp.async.wait_group 1;
            ld.shared.u32 %r2, [%s]; ld.shared.u32 %r3, [%s+512];
            cp.async.wait_all;
            ld.shared.u32 %r4, [%s+512];
            st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r4};
            """,
            numbers(32));
    for (int t = 0; t < 32; t++) {
      assertThat(got[4 * t]).isEqualTo(7 * t + 1);
      assertThat(got[4 * t + 1]).isEqualTo(1000 + t);
      assertThat(got[4 * t + 2]).isEqualTo(7 * t + 1);
    }
  }

  @Test
  void fillsWithZerosWhatIsNotRead() {
    int[] got =
        run(
            Execution.INTERPRETED,
            32,
            """
            and.b32 %r5, %r1, 3; mul.lo.u32 %r6, %r1, 12; add.u32 %s, %s, %r6;
            and.b32 %r7, %r1, 31; mul.wide.u32 %rd3, %r7, 12; add.u64 %rd2, %rd2, %rd3;
            mov.u32 %s, tile; mad.lo.u32 %s, %r1, 16, %s;
            cp.async.cg.shared.global [%s], [%rd2], 16, %r5;
            cp.async.wait_all;
            ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%s];
            st.global.v4.u32 [%rd1], {%r8, %r9, %r10, %r11};
            """,
            numbers(128));
    for (int t = 0; t < 32; t++) {
      int kept = (t & 3) == 0 ? 0 : -1 >>> 32 - 8 * (t & 3);
      assertThat(got[4 * t]).as("thread %d", t).isEqualTo((7 * 4 * t + 1) & kept);
      assertThat(got[4 * t + 1]).isZero();
      assertThat(got[4 * t + 3]).isZero();
    }
  }

  @Test
  void readsOnlyWhatItCopiesAtTheEndOfAnAllocation() {
    // The last two words of the buffer, with a source size of 8 of 16 bytes.
    int[] got =
        run(
            Execution.INTERPRETED,
            1,
            """
            mov.u32 %r5, 8; mov.u32 %s, tile;
            cp.async.cg.shared.global [%s], [%rd2+48], 16, %r5; cp.async.wait_all;
            ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%s]; st.global.v4.u32 [%rd1], {%r8, %r9, %r10, %r11};
            """,
            numbers(14));
    assertThat(got).startsWith(7 * 12 + 1, 7 * 13 + 1, 0, 0);
  }

  @Test
  void faultsBeyondAnAllocation() {
    String body =
        "mov.u32 %r5, 12; mov.u32 %s, tile; cp.async.cg.shared.global [%s], [%rd2+48], 16, %r5;";
    assertThatThrownBy(() -> run(Execution.INTERPRETED, 1, body, numbers(14)))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(700))
        .hasMessageContaining("asynchronous read")
        .hasMessageContaining("cp.async.cg.shared.global");
  }

  @Test
  void arrivesAtABarrierWhenTheCopiesAreThere() {
    int[] got =
        run(
            Execution.INTERPRETED,
            64,
            """
            .shared .align 8 .b64 bar; .reg .b32 %b; mov.u32 %b, bar;
            setp.eq.u32 %p1, %r1, 0;
            @%p1 mbarrier.init.shared.b64 [%b], 64;
            bar.sync 0;
            xor.b32 %r5, %r1, 63; mov.u32 %t, tile; mad.lo.u32 %t, %r5, 4, %t;
            cp.async.ca.shared.global [%s], [%rd2], 4;
            ld.shared.u32 %r2, [%t];
            cp.async.mbarrier.arrive.noinc.shared.b64 [%b];
            bar.sync 0;
            WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%b], 0;
            @!%p2 bra WAIT;
            ld.shared.u32 %r3, [%t];
            st.global.v4.u32 [%rd1], {%r2, %r3, %r3, %r3};
            """,
            numbers(64));
    for (int t = 0; t < 64; t++) {
      assertThat(got[4 * t]).isEqualTo(1000 + 63 - t);
      assertThat(got[4 * t + 1]).isEqualTo(7 * (63 - t) + 1);
    }
  }
}
