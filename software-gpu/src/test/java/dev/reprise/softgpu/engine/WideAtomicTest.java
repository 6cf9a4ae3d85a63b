package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Atomic updates of vectors and of 128 bits, and registers of 128 bits and of vectors. */
final class WideAtomicTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private void run(int blocks, String body, Allocation out) {
    String text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {\n"
            + ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .b16 %rs<20>;"
            + " .reg .b128 %q<5>; .reg .pred %p<5>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
            + body
            + "\nret; }";
    device.launch(Objects.requireNonNull(device.load(text).kernel("k")), blocks, 64, out);
  }

  @Test
  void addsToEachElementOfAVector() {
    Allocation out = device.of(1f, 2f, 3f, 4f);
    run(
        8,
        "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f3F000000; mov.f32 %f4, 0fBF800000;"
            + "red.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};",
        out);
    assertThat(Device.floats(out)).containsExactly(1f + 512, 2f + 1024, 3f + 256, 4f - 512);
  }

  @Test
  void givesTheOldHalvesOfAVector() {
    Allocation out = device.of(new short[] {0x3c00, 0x4000, 0, 0, 0, 0, 0, 0});
    run(
        1,
        "setp.eq.u32 %p1, %r1, 0; mov.b16 %rs1, 0x3c00; mov.b16 %rs2, 0x4200;"
            + "@%p1 atom.global.max.noftz.v2.f16 {%rs3, %rs4}, [%rd1], {%rs1, %rs2};"
            + "@%p1 st.global.v2.b16 [%rd1+4], {%rs3, %rs4};",
        out);
    assertThat(Device.shorts(out)).startsWith(0x3c00, 0x4200, 0x3c00, 0x4000);
  }

  @Test
  void countsIn128BitsByCompareAndSwap() {
    Allocation out = device.of(-1L, 0L);
    run(
        4,
        """
        ld.relaxed.gpu.global.b128 %q1, [%rd1];
        AGAIN:
        mov.b128 {%rd2, %rd3}, %q1;
        add.cc.u64 %rd4, %rd2, 1; addc.u64 %rd5, %rd3, 0;
        mov.b128 %q2, {%rd4, %rd5};
        atom.global.cas.b128 %q3, [%rd1], %q1, %q2;
        mov.b128 {%rd6, %rd7}, %q3;
        setp.ne.u64 %p1, %rd6, %rd2; setp.ne.or.u64 %p1, %rd7, %rd3, %p1;
        mov.b128 %q1, %q3;
        @%p1 bra AGAIN;
        """,
        out);
    assertThat(Device.longs(out)).containsExactly(255, 1);
  }

  @Test
  void movesVectorRegisters() {
    Allocation out = device.of(new int[64 * 4]);
    run(
        1,
        """
        .reg .v4 .b32 v, w;
        mov.b32 v.x, %r1; add.u32 v.y, v.x, 1; add.u32 v.z, v.y, 1; add.u32 v.w, v.z, 1;
        mad.wide.u32 %rd2, %r1, 16, %rd1; st.global.v4.b32 [%rd2], v;
        ld.global.v4.b32 w, [%rd2]; add.u32 w.x, w.x, w.w; st.global.b32 [%rd2], w.x;
        """,
        out);
    assertThat(Device.ints(out)).startsWith(3, 1, 2, 3, 5, 2, 3, 4);
  }
}
