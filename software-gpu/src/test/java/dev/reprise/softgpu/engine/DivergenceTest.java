package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lanes that go different ways, meet again, and wait for each other. */
@Timeout(60)
final class DivergenceTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private int[] run(int threads, String body) {
    Allocation out = device.allocate(threads * 4L);
    device.launch(
        Kernels.load(device, ".param .u64 out", Kernels.OWN_SLOT + body), 1, threads, out);
    return Device.ints(out);
  }

  @Test
  void runsBothSidesOfABranch() {
    int[] got =
        run(
            64,
            """
            and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra EVEN;
            mul.lo.u32 %r5, %r1, 10; bra END;
            EVEN: add.u32 %r5, %r1, 1000;
            END: st.global.u32 [%rd1], %r5;
            """);
    for (int t = 0; t < 64; t++) {
      assertThat(got[t]).isEqualTo(t % 2 == 0 ? t + 1000 : t * 10);
    }
  }

  @Test
  void loopsADifferentNumberOfTimesInEachLane() {
    int[] got =
        run(
            32,
            """
            mov.u32 %r5, 0; mov.u32 %r6, 0;
            LOOP: setp.ge.u32 %p1, %r6, %r1; @%p1 bra DONE;
            add.u32 %r6, %r6, 1; and.b32 %r7, %r6, 1; setp.eq.u32 %p2, %r7, 0; @%p2 bra LOOP;
            add.u32 %r5, %r5, %r6; bra LOOP;
            DONE: st.global.u32 [%rd1], %r5;
            """);
    for (int t = 0; t < 32; t++) {
      int want = 0;
      for (int k = 1; k <= t; k += 2) {
        want += k;
      }
      assertThat(got[t]).isEqualTo(want);
    }
  }

  @Test
  void convergesAfterALoopWithDifferentTripCounts() {
    int[] got =
        run(
            32,
            """
            mov.u32 %r6, 0;
            LOOP: add.u32 %r6, %r6, 1; setp.le.u32 %p1, %r6, %r1; @%p1 bra LOOP;
            activemask.b32 %r5; st.global.u32 [%rd1], %r5;
            """);
    assertThat(got).containsOnly(-1);
  }

  @Test
  void leavesInactiveLanesAloneUnderAPredicate() {
    int[] got =
        run(
            32,
            """
            mov.u32 %r5, 7; setp.gt.u32 %p1, %r1, 20; @%p1 mov.u32 %r5, 8; @!%p1 add.u32 %r5, %r5, 100;
            mov.f32 %f1, 0f3F800000; @%p1 mov.f32 %f1, 0f40000000; cvt.rzi.s32.f32 %r6, %f1; mad.lo.u32 %r5, %r6, 1000, %r5;
            st.global.u32 [%rd1], %r5;
            """);
    for (int t = 0; t < 32; t++) {
      assertThat(got[t]).isEqualTo(t > 20 ? 2008 : 1107);
    }
  }

  @Test
  void letsLanesOfOneWarpTakeALockInTurn() {
    // Each lane spins until it holds the lock; the holder adds to a plain counter. A reconvergence
    // stack would never end.
    Allocation lock = device.of(0, 0);
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 lock",
            """
            ld.param.u64 %rd1, [lock];
            SPIN: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra SPIN;
            ld.volatile.global.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd1+4], %r2;
            membar.gl; atom.global.exch.b32 %r3, [%rd1], 0;
            """);
    device.launch(k, 3, 96, lock);
    assertThat(Device.ints(lock)).containsExactly(0, 288);
  }

  @Test
  void letsAWarpWaitForAnotherOfItsBlock() {
    // Warp 0 spins on a flag that the last warp sets.
    Allocation out = device.of(0, 0);
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 out",
            """
            ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 64; @%p1 bra SET;
            WAIT: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;
            atom.global.add.u32 %r3, [%rd1+4], 1; ret;
            SET: st.volatile.global.u32 [%rd1], 1;
            """);
    device.launch(k, 1, 96, out);
    assertThat(Device.ints(out)).containsExactly(1, 64);
  }

  @Test
  void letsEarlierBlocksWaitForLaterOnes() {
    // A barrier of the whole grid, as cooperative kernels have it: more blocks than workers.
    Allocation out = device.of(0, 0);
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 out",
            """
            ld.param.u64 %rd1, [out]; mov.u32 %r1, %nctaid.x; atom.global.add.u32 %r2, [%rd1], 1;
            WAIT: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, %r1; @%p1 bra WAIT;
            red.global.add.u32 [%rd1+4], %r3;
            """);
    device.launch(k, 9, 1, out);
    assertThat(Device.ints(out)).containsExactly(9, 81);
  }

  @Test
  void branchesThroughATable() {
    int[] got =
        run(
            32,
            """
            T: .branchtargets A, B, C;
            rem.u32 %r4, %r1, 3; brx.idx %r4, T;
            A: mov.u32 %r5, 10; bra E;
            B: mov.u32 %r5, 20; bra E;
            C: mov.u32 %r5, 30;
            E: st.global.u32 [%rd1], %r5;
            """);
    for (int t = 0; t < 32; t++) {
      assertThat(got[t]).isEqualTo(10 * (t % 3 + 1));
    }
  }

  @Test
  void endsLanesOneByOne() {
    int[] got =
        run(
            40,
            """
            st.global.u32 [%rd1], 1; setp.lt.u32 %p1, %r1, 5; @%p1 exit;
            st.global.u32 [%rd1], 2; setp.lt.u32 %p1, %r1, 20; @%p1 ret;
            st.global.u32 [%rd1], 3;
            """);
    for (int t = 0; t < 40; t++) {
      assertThat(got[t]).isEqualTo(t < 5 ? 1 : t < 20 ? 2 : 3);
    }
  }

  @Test
  void callsFunctionsFromDivergentCode() {
    String text =
        Kernels.text(
            """
            .func (.param .b32 r) triple(.param .b32 x)
            { .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.b32 %r1, [x]; setp.gt.s32 %p1, %r1, 20; @%p1 bra BIG;
              mul.lo.s32 %r2, %r1, 3; st.param.b32 [r], %r2; ret;
              BIG: st.param.b32 [r+0], 99; }
            """,
            ".param .u64 out",
            Kernels.OWN_SLOT
                + """
                mov.u32 %r9, 0; setp.eq.u32 %p1, %r1, 3; @%p1 bra SKIP;
                { .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0;
                  call.uni (r0), triple, (p0); ld.param.b32 %r9, [r0+0]; }
                { .param .b32 p0; st.param.b32 [p0+0], %r9; .param .b32 r0;
                  call.uni (r0), triple, (p0); ld.param.b32 %r10, [r0+0]; }
                add.s32 %r9, %r9, %r10;
                SKIP: st.global.u32 [%rd1], %r9;
                """);
    Allocation out = device.allocate(128);
    device.launch(Objects.requireNonNull(device.load(text).kernel("k")), 1, 32, out);
    int[] got = Device.ints(out);
    for (int t = 0; t < 32; t++) {
      int once = t > 20 ? 99 : t * 3;
      int twice = once > 20 ? 99 : once * 3;
      assertThat(got[t]).isEqualTo(t == 3 ? 0 : once + twice);
    }
  }

  @Test
  void lanesThatSpinThroughATableLetTheOthersGoOn() {
    int[] got =
        run(
            32,
            """
            .shared .align 4 .b32 flag; .reg .b32 %v;
            setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [flag], 0;
            bar.warp.sync 0xffffffff;
            setp.eq.u32 %p2, %r1, 31; @%p2 bra SET;
            ROUND: .branchtargets SPIN, DONE;
            SPIN: ld.volatile.shared.u32 %v, [flag]; brx.idx %v, ROUND;
            SET: st.volatile.shared.u32 [flag], 1;
            DONE: add.u32 %r5, %r1, 7; st.global.u32 [%rd1], %r5;
            """);
    for (int t = 0; t < 32; t++) {
      assertThat(got[t]).isEqualTo(t + 7);
    }
  }
}
