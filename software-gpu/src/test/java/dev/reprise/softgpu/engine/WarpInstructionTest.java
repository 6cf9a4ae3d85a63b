package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shuffles, votes, matches and reductions of a warp. */
@Timeout(60)
final class WarpInstructionTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private int[] run(String body) {
    Allocation out = device.allocate(32 * 4L);
    device.launch(Kernels.load(device, ".param .u64 out", Kernels.OWN_SLOT + body), 1, 32, out);
    return Device.ints(out);
  }

  private void check(String instruction, IntUnaryOperator want) {
    int[] got = run("add.u32 %r5, %r1, 100; " + instruction + " st.global.u32 [%rd1], %r6;");
    for (int lane = 0; lane < 32; lane++) {
      assertThat(got[lane]).as("%s in lane %d", instruction, lane).isEqualTo(want.applyAsInt(lane));
    }
  }

  @Test
  void shufflesInAllModes() {
    check("shfl.sync.bfly.b32 %r6, %r5, 5, 31, -1;", lane -> 100 + (lane ^ 5));
    check(
        "shfl.sync.down.b32 %r6, %r5, 3, 31, -1;", lane -> 100 + (lane + 3 < 32 ? lane + 3 : lane));
    check("shfl.sync.up.b32 %r6, %r5, 2, 0, -1;", lane -> 100 + (lane >= 2 ? lane - 2 : lane));
    check("shfl.sync.idx.b32 %r6, %r5, 7, 31, -1;", lane -> 107);
    // Segments of eight lanes: bits 8 to 12 of c hold the segment mask.
    check("shfl.sync.idx.b32 %r6, %r5, 3, 0x181f, -1;", lane -> 100 + (lane & 24) + 3);
    check(
        "shfl.sync.down.b32 %r6, %r5, 1, 0x181f, -1;",
        lane -> 100 + (lane % 8 < 7 ? lane + 1 : lane));
    check(
        "shfl.sync.up.b32 %r6, %r5, 1, 0x1800, -1;",
        lane -> 100 + (lane % 8 > 0 ? lane - 1 : lane));
    check(
        "shfl.sync.down.b32 %r7|%p1, %r5, 20, 31, -1; selp.u32 %r6, 1, 0, %p1;",
        lane -> lane + 20 < 32 ? 1 : 0);
    check("shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1; mov.u32 %r6, %r5;", lane -> 100 + (lane ^ 1));
  }

  /** One instruction, whose distance and clamp differ from round to round, or from lane to lane. */
  @Test
  void shufflesByDistancesThatChange() {
    check(
        """
        mov.u32 %r6, 0; mov.u32 %r9, 0;
        LOOP: div.u32 %r8, %r9, 3; and.b32 %r8, %r8, 1; mul.lo.u32 %r8, %r8, 0x1800; or.b32 %r8, %r8, 31; shr.u32 %r7, %r9, 1;
        shfl.sync.idx.b32 %r7, %r5, %r7, %r8, -1; mad.lo.u32 %r6, %r6, 31, %r7;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 64; @%p1 bra LOOP;
        """,
        lane -> {
          int hash = 0;
          for (int n = 0; n < 64; n++) {
            int from = n / 3 % 2 == 0 ? n / 2 : (lane & 24) | (n / 2 & 7);
            hash = hash * 31 + 100 + from;
          }
          return hash;
        });
    check(
        "sub.u32 %r7, 31, %r1; shfl.sync.idx.b32 %r6, %r5, %r7, 31, -1;", lane -> 100 + 31 - lane);
    check(
        "add.u32 %r7, %r1, 37; shfl.sync.idx.b32 %r6, %r5, %r7, 31, -1;",
        lane -> 100 + (lane + 37 & 31));
    check(
        "add.u32 %r7, %r1, 37; shfl.sync.idx.b32 %r7, %r5, %r7, 31, -1; mov.u32 %r6, %r7;",
        lane -> 100 + (lane + 37 & 31));
    check(
        "add.u32 %r7, %r1, 3; shfl.sync.idx.b32 %r6, %r5, %r7, 0x181f, -1;",
        lane -> 100 + (lane & 24) + (lane + 3 & 7));
  }

  @Test
  void shufflesFloatBits() {
    int[] got =
        run(
            "cvt.rn.f32.u32 %f1, %r1; mov.b32 %r5, %f1; shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1;"
                + " mov.b32 %f2, %r6; cvt.rzi.s32.f32 %r7, %f2; st.global.u32 [%rd1], %r7;");
    for (int lane = 0; lane < 32; lane++) {
      assertThat(got[lane]).isEqualTo(lane ^ 16);
    }
  }

  @Test
  void votes() {
    String odd = "and.b32 %r7, %r1, 1; setp.ne.u32 %p1, %r7, 0; ";
    check(odd + "vote.sync.ballot.b32 %r6, %p1, -1;", lane -> 0xaaaa_aaaa);
    check(odd + "vote.sync.ballot.b32 %r6, !%p1, -1;", lane -> 0x5555_5555);
    check(odd + "vote.sync.any.pred %p2, %p1, -1; selp.u32 %r6, 1, 0, %p2;", lane -> 1);
    check(odd + "vote.sync.all.pred %p2, %p1, -1; selp.u32 %r6, 1, 0, %p2;", lane -> 0);
    check(odd + "vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r6, 1, 0, %p2;", lane -> 0);
    check(
        "setp.lt.u32 %p1, %r1, 99; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r6, 1, 0, %p2;",
        lane -> 1);
  }

  @Test
  void matchesEqualValues() {
    check(
        "rem.u32 %r7, %r1, 5; match.any.sync.b32 %r6, %r7, -1;",
        lane -> {
          int mask = 0;
          for (int k = lane % 5; k < 32; k += 5) {
            mask |= 1 << k;
          }
          return mask;
        });
    check("mov.u32 %r7, 4; match.all.sync.b32 %r6|%p1, %r7, -1;", lane -> -1);
    check("mov.u64 %rd5, 4; match.any.sync.b64 %r6, %rd5, -1;", lane -> -1);
    check("match.all.sync.b32 %r6|%p1, %r1, -1;", lane -> 0);
  }

  @Test
  void reducesIntegers() {
    check("redux.sync.add.u32 %r6, %r5, -1;", lane -> 3200 + 31 * 16);
    check("redux.sync.min.s32 %r6, %r5, -1;", lane -> 100);
    check("redux.sync.max.u32 %r6, %r5, -1;", lane -> 131);
    check("redux.sync.xor.b32 %r6, %r1, -1;", lane -> 0);
    check("not.b32 %r7, %r1; redux.sync.min.u32 %r6, %r7, -1;", lane -> ~31);
  }

  @Test
  void electsTheLowestLane() {
    check("elect.sync %r7|%p1, -1; selp.u32 %r6, 50, %r7, %p1;", lane -> lane == 0 ? 50 : 0);
  }

  @Test
  void runsGroupsWithDifferentMasksAtOneInstruction() {
    check(
        "setp.lt.u32 %p1, %r1, 16; selp.b32 %r8, 0x0000ffff, 0xffff0000, %p1; redux.sync.add.u32"
            + " %r6, %r1, %r8;",
        lane -> lane < 16 ? 120 : 376);
  }

  @Test
  void waitsForLanesThatComeLater() {
    // The upper lanes take a longer way to the same shuffle.
    check(
        """
        setp.lt.u32 %p1, %r1, 16; @%p1 bra MEET; mov.u32 %r9, 0;
        LOOP: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 50; @%p2 bra LOOP; add.u32 %r5, %r5, %r9;
        MEET: shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1;
        """,
        lane -> lane < 16 ? 166 + lane : 84 + lane);
  }

  @Test
  void ignoresLanesThatHaveExited() {
    int[] got =
        run(
            "setp.lt.u32 %p1, %r1, 8; @%p1 ret; mov.u32 %r5, 1; redux.sync.add.u32 %r6, %r5, -1;"
                + " st.global.u32 [%rd1], %r6;");
    for (int lane = 0; lane < 32; lane++) {
      assertThat(got[lane]).isEqualTo(lane < 8 ? 0 : 24);
    }
  }

  @Test
  void knowsLanesAndMasks() {
    check("mov.u32 %r6, %laneid;", lane -> lane);
    check("mov.u32 %r6, %lanemask_lt;", lane -> (1 << lane) - 1);
    check("mov.u32 %r6, %lanemask_le;", lane -> lane == 31 ? -1 : (1 << lane + 1) - 1);
    check("mov.u32 %r6, %lanemask_eq;", lane -> 1 << lane);
    check("mov.u32 %r6, %lanemask_ge;", lane -> -(1 << lane));
    check("mov.u32 %r6, %lanemask_gt;", lane -> lane == 31 ? 0 : -(1 << lane + 1));
    check("mov.u32 %r6, WARP_SZ;", lane -> 32);
    check(
        "mov.u64 %rd5, %clock64; mov.u64 %rd6, %globaltimer; setp.gt.u64 %p1, %rd6, 0; selp.u32"
            + " %r6, 1, 0, %p1;",
        lane -> 1);
  }

  @Test
  void refusesALaneOutsideItsMask() {
    assertThatThrownBy(() -> run("shfl.sync.idx.b32 %r6, %r1, 0, 31, 0x0000ffff;"))
        .isInstanceOf(DeviceFault.class)
        .hasMessageContaining("does not name")
        .hasMessageContaining("thread (16, 0, 0)");
  }

  @Test
  void reducesFloats() {
    Allocation out = device.allocate(4 * 32);
    KernelCode code =
        Kernels.load(
            device,
            ".param .u64 out",
            Kernels.OWN_SLOT
                + "cvt.rn.f32.u32 %f1, %r1; sub.f32 %f1, %f1, 0f41800000;"
                + "redux.sync.min.f32 %f2, %f1, -1; redux.sync.max.abs.f32 %f3, %f1, -1;"
                + "setp.eq.u32 %p1, %r1, 5; selp.f32 %f1, 0fFFC00001, %f1, %p1;"
                + "redux.sync.max.f32 %f4, %f1, -1; redux.sync.max.NaN.f32 %f5, %f1, -1;"
                + "mov.b32 %r5, %f5; and.b32 %r5, %r5, 1; cvt.rn.f32.u32 %f5, %r5;"
                + "add.f32 %f2, %f2, %f3; fma.rn.f32 %f2, %f4, 0f42C80000, %f2;"
                + "fma.rn.f32 %f2, %f5, 0f447A0000, %f2; st.global.f32 [%rd1], %f2;");
    device.launch(code, 1, 32, out);
    assertThat(Device.floats(out)).containsOnly(-16f + 16 + 15 * 100 + 1000);
  }
}
