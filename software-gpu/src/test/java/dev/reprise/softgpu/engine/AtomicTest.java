package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Atomics in global and shared memory, by threads of several blocks. */
final class AtomicTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private void run(int blocks, int threads, Allocation cell, String body) {
    String start =
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r1, %r2, %r3, %r1;";
    device.launch(
        Kernels.load(device, ".param .u64 out", ".shared .align 8 .b8 s[16];" + start + body),
        blocks,
        threads,
        cell);
  }

  private int cell(int initial, String body) {
    Allocation a = device.of(initial, 0, 0, 0);
    run(4, 64, a, body);
    return Device.ints(a)[0];
  }

  @Test
  void updatesWordsFromAllBlocks() {
    assertThat(cell(5, "atom.global.add.u32 %r5, [%rd1], %r1;")).isEqualTo(5 + 255 * 128);
    assertThat(cell(5, "red.global.add.s32 [%rd1], -1;")).isEqualTo(5 - 256);
    assertThat(cell(50, "sub.s32 %r6, %r1, 10; atom.global.min.s32 %r5, [%rd1], %r6;"))
        .isEqualTo(-10);
    assertThat(cell(50, "sub.s32 %r6, %r1, 10; atom.global.min.u32 %r5, [%rd1], %r6;")).isZero();
    assertThat(cell(50, "sub.s32 %r6, %r1, 10; atom.global.max.s32 %r5, [%rd1], %r6;"))
        .isEqualTo(245);
    assertThat(cell(50, "sub.s32 %r6, %r1, 10; atom.global.max.u32 %r5, [%rd1], %r6;"))
        .isEqualTo(-1);
    assertThat(
            cell(
                -1, "shl.b32 %r6, 1, %r1; not.b32 %r6, %r6; atom.global.and.b32 %r5, [%rd1], %r6;"))
        .isZero();
    assertThat(
            cell(
                0,
                "and.b32 %r6, %r1, 31; shl.b32 %r6, 1, %r6; atom.global.or.b32 %r5, [%rd1], %r6;"))
        .isEqualTo(-1);
    assertThat(cell(0, "atom.global.xor.b32 %r5, [%rd1], %r1;")).isZero();
    assertThat(cell(0, "atom.global.inc.u32 %r5, [%rd1], 99;")).isEqualTo(56);
    assertThat(cell(0, "atom.global.dec.u32 %r5, [%rd1], 99;")).isEqualTo((100 - 256 % 100) % 100);
    assertThat(cell(7, "atom.relaxed.gpu.global.exch.b32 %r5, [%rd1], 9;")).isEqualTo(9);
  }

  @Test
  void returnsEachOldValueOnce() {
    Allocation a = device.allocate(4 * 257);
    run(
        4,
        64,
        a,
        "atom.add.u32 %r5, [%rd1], 1; mad.wide.u32 %rd2, %r5, 4, %rd1; st.global.u32 [%rd2+4], 1;");
    int[] got = Device.ints(a);
    assertThat(got[0]).isEqualTo(256);
    assertThat(Arrays.copyOfRange(got, 1, 257)).containsOnly(1);
  }

  @Test
  void updatesDoubleWords() {
    Allocation a = device.of(1L << 40, 0L);
    run(
        4,
        64,
        a,
        "cvt.u64.u32 %rd5, %r1; atom.global.add.u64 %rd6, [%rd1], %rd5; shl.b64 %rd7, %rd5, 33; atom.global.max.u64 %rd8, [%rd1+8], %rd7;");
    assertThat(Device.longs(a)).containsExactly((1L << 40) + 255 * 128, 255L << 33);
    Allocation b = device.of(3L, 8L);
    run(
        1,
        1,
        b,
        "atom.global.cas.b64 %rd6, [%rd1], 3, 4; atom.global.cas.b64 %rd7, [%rd1+8], 3, 5;");
    assertThat(Device.longs(b)).containsExactly(4, 8);
  }

  @Test
  void addsReals() {
    Allocation a = device.of(0.5f, 0f, 0f, 0f);
    run(
        4,
        64,
        a,
        "cvt.rn.f32.u32 %f1, %r1; atom.global.add.f32 %f2, [%rd1], %f1; cvt.rn.f64.u32 %fd1, %r1; red.global.add.f64 [%rd1+8], %fd1;");
    assertThat(Device.floats(a)[0]).isEqualTo(0.5f + 255 * 128);
    assertThat(Device.doubles(a)[1]).isEqualTo(255 * 128);
  }

  @Test
  void exchangesHalfWordsWithoutTouchingTheirNeighbours() {
    Allocation a = device.of((short) 1, (short) 2, (short) 3, (short) 4);
    run(
        1,
        1,
        a,
        "mov.b16 %rs1, 3; mov.b16 %rs2, 9; add.s64 %rd1, %rd1, 4; atom.global.cas.b16 %rs3, [%rd1], %rs1, %rs2; atom.global.cas.b16 %rs3, [%rd1+2], %rs1, %rs2;");
    assertThat(Device.shorts(a)).containsExactly((short) 1, (short) 2, (short) 9, (short) 4);
  }

  @Test
  void addsPairsOfHalves() {
    Allocation a = device.of(0x3c00_0000);
    run(1, 32, a, "mov.b32 %r5, 0x40003c00; red.global.add.noftz.f16x2 [%rd1], %r5;");
    int bits = Device.ints(a)[0];
    assertThat(Float.float16ToFloat((short) bits)).isEqualTo(32f);
    assertThat(Float.float16ToFloat((short) (bits >>> 16))).isEqualTo(65f);
  }

  @Test
  void updatesSharedMemory() {
    Allocation a = device.of(0L, 0L, 0L, 0L);
    run(
        4,
        64,
        a,
        """
        mov.u32 %r5, %tid.x; setp.eq.u32 %p1, %r5, 0; @%p1 st.shared.u64 [s], 0; @%p1 st.shared.u32 [s+8], 0; bar.sync 0;
        cvt.u64.u32 %rd5, %r1; shl.b64 %rd5, %rd5, 32; atom.shared.max.u64 %rd6, [s], %rd5; atom.shared.add.u32 %r6, [s+8], 1;
        bar.sync 0; ld.shared.u64 %rd7, [s]; ld.shared.u32 %r7, [s+8]; cvt.u64.u32 %rd8, %r7; add.u64 %rd7, %rd7, %rd8;
        mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd9, %r2, 8; add.u64 %rd1, %rd1, %rd9; @%p1 st.global.u64 [%rd1], %rd7;
        """);
    for (int b = 0; b < 4; b++) {
      assertThat(Device.longs(a)[b]).isEqualTo(((b * 64L + 63) << 32) + 64);
    }
  }
}
