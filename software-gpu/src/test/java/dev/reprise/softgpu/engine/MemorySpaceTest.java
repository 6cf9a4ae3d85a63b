package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** State spaces, vectors, widths and generic addresses. */
final class MemorySpaceTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void movesVectorsOfEveryWidth() {
    byte[] bytes = new byte[64 * 32];
    for (int k = 0; k < bytes.length; k++) {
      bytes[k] = (byte) (k * 37 + k / 64);
    }
    int[] words = new int[bytes.length / 4];
    MemorySegment.ofArray(words).copyFrom(MemorySegment.ofArray(bytes));
    String[] moves = {
      "v4.u8 {%rs1,%rs2,%rs3,%rs4}",
      "v2.u16 {%rs1,%rs2}",
      "v4.b16 {%rs1,%rs2,%rs3,%rs4}",
      "v2.b32 {%r10,%r11}",
      "v4.f32 {%f1,%f2,%f3,%f4}",
      "v4.u32 {%r10,%r11,%r12,%r13}",
      "v2.u64 {%rd10,%rd11}",
      "v2.f64 {%fd1,%fd2}",
      "b8 %rs1",
      "f64 %fd1"
    };
    int[] sizes = {4, 4, 8, 8, 16, 16, 16, 16, 1, 8};
    for (int m = 0; m < moves.length; m++) {
      Allocation in = device.of(words);
      Allocation out = device.allocate(bytes.length);
      String type = moves[m].substring(0, moves[m].indexOf(' '));
      String registers = moves[m].substring(moves[m].indexOf(' ') + 1);
      KernelCode k =
          Kernels.load(
              device,
              ".param .u64 in, .param .u64 out",
              "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 64;"
                  + "add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;"
                  + "ld.global."
                  + type
                  + " "
                  + registers
                  + ", [%rd1+16]; st.global."
                  + type
                  + " [%rd2+32], "
                  + registers
                  + ";");
      device.launch(k, 1, 32, in, out);
      int[] got = Device.ints(out);
      byte[] result = new byte[bytes.length];
      MemorySegment.ofArray(result).copyFrom(MemorySegment.ofArray(got));
      for (int t = 0; t < 32; t++) {
        for (int b = 0; b < 64; b++) {
          boolean moved = b >= 32 && b < 32 + sizes[m];
          assertThat(result[t * 64 + b])
              .as("%s thread %d byte %d", type, t, b)
              .isEqualTo(moved ? bytes[t * 64 + b - 16] : 0);
        }
      }
      device.memory.free(in);
      device.memory.free(out);
    }
  }

  @Test
  void extendsSmallLoadsBySign() {
    Allocation in = device.of(0xfedc_ba98);
    Allocation out = device.allocate(4 * 8);
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 in, .param .u64 out",
            """
            ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
            ld.global.s8 %r1, [%rd1+3]; st.global.u32 [%rd2], %r1;
            ld.global.u8 %r1, [%rd1+3]; st.global.u32 [%rd2+4], %r1;
            ld.global.s16 %r1, [%rd1+2]; st.global.u32 [%rd2+8], %r1;
            ld.global.u16 %rs1, [%rd1+2]; cvt.u32.u16 %r1, %rs1; st.global.u32 [%rd2+12], %r1;
            ld.global.s8 %rs1, [%rd1]; cvt.u32.u16 %r1, %rs1; st.global.u32 [%rd2+16], %r1;
            ld.global.s32 %rd3, [%rd1]; st.global.u64 [%rd2+24], %rd3;
            """);
    device.launch(k, 1, 1, in, out);
    assertThat(Device.ints(out))
        .containsExactly(-2, 0xfe, (short) 0xfedc, 0xfedc, 0xff98, 0, 0xfedc_ba98, -1);
  }

  @Test
  void placesDynamicSharedMemoryBehindStatic() {
    String text =
        Kernels.text(
            ".shared .align 4 .b8 fixed[20];\n.extern .shared .align 16 .b8 dynamic[];",
            ".param .u64 out",
            Kernels.OWN_SLOT
                + """
                mov.u32 %r5, %tid.x; shl.b32 %r6, %r5, 2;
                mov.u32 %r7, dynamic; add.s32 %r8, %r7, %r6;
                add.s32 %r9, %r5, 100; st.shared.u32 [%r8], %r9;
                setp.lt.u32 %p1, %r5, 5; mov.u32 %r10, fixed; add.s32 %r10, %r10, %r6;
                @%p1 st.shared.u32 [%r10], %r5;
                bar.sync 0;
                xor.b32 %r11, %r6, 124; add.s32 %r11, %r7, %r11; ld.shared.u32 %r12, [%r11];
                st.global.u32 [%rd1], %r12;
                """);
    KernelCode k = Objects.requireNonNull(device.load(text).kernel("k"));
    assertThat(k.staticSharedBytes()).isEqualTo(32);
    Allocation out = device.allocate(128);
    device.launch(k, Dim3.of(1), Dim3.of(32), 128, out);
    int[] got = Device.ints(out);
    for (int t = 0; t < 32; t++) {
      assertThat(got[t]).isEqualTo(100 + 31 - t);
    }
  }

  @Test
  void givesEveryThreadItsOwnLocalMemory() {
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 out",
            ".local .align 4 .b8 depot[64];"
                + Kernels.OWN_SLOT
                + """
                mov.u64 %rd5, depot; and.b32 %r5, %r1, 15; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd5, %rd5, %rd6;
                st.local.u32 [%rd5], %r1;
                cvta.local.u64 %rd7, %rd5; ld.u32 %r6, [%rd7];
                add.s32 %r6, %r6, 1000; st.u32 [%rd7], %r6; ld.local.u32 %r7, [%rd5];
                st.global.u32 [%rd1], %r7;
                """);
    assertThat(k.localBytes()).isEqualTo(64);
    Allocation out = device.allocate(4 * 200);
    device.launch(k, 2, 100, out);
    int[] got = Device.ints(out);
    for (int t = 0; t < 200; t++) {
      assertThat(got[t]).isEqualTo(t + 1000);
    }
  }

  @Test
  void followsGenericAddressesIntoDifferentSpacesFromOneWarp() {
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 in, .param .u64 out",
            ".shared .align 4 .b8 s[128]; .local .align 4 .b8 depot[16];"
                + Kernels.OWN_SLOT
                + """
                ld.param.u64 %rd2, [in];
                mov.u32 %r5, s; shl.b32 %r6, %r1, 2; add.s32 %r5, %r5, %r6; add.s32 %r7, %r1, 500; st.shared.u32 [%r5], %r7;
                mov.u64 %rd3, s; cvt.u64.u32 %rd4, %r6; add.s64 %rd3, %rd3, %rd4; cvta.shared.u64 %rd3, %rd3;
                mov.u64 %rd5, depot; add.s32 %r8, %r1, 900; st.local.u32 [%rd5+4], %r8; cvta.local.u64 %rd5, %rd5; add.s64 %rd5, %rd5, 4;
                cvta.to.global.u64 %rd6, %rd2; cvta.global.u64 %rd6, %rd6; add.s64 %rd6, %rd6, %rd4;
                rem.u32 %r9, %r1, 3; setp.eq.u32 %p1, %r9, 0; setp.eq.u32 %p2, %r9, 1;
                selp.b64 %rd7, %rd3, %rd6, %p1; selp.b64 %rd7, %rd5, %rd7, %p2;
                ld.u32 %r10, [%rd7]; st.global.u32 [%rd1], %r10;
                isspacep.shared %p3, %rd7; isspacep.global %p4, %rd7;
                selp.u32 %r11, 1, 0, %p3; selp.u32 %r12, 2, 0, %p4; add.u32 %r11, %r11, %r12; st.global.u32 [%rd1+128], %r11;
                """);
    int[] in = new int[32];
    for (int t = 0; t < 32; t++) {
      in[t] = -t;
    }
    Allocation out = device.allocate(256);
    device.launch(k, 1, 32, device.of(in), out);
    int[] got = Device.ints(out);
    for (int t = 0; t < 32; t++) {
      assertThat(got[t]).isEqualTo(t % 3 == 0 ? 500 + t : t % 3 == 1 ? 900 + t : -t);
      assertThat(got[32 + t]).isEqualTo(t % 3 == 0 ? 1 : t % 3 == 1 ? 0 : 2);
    }
  }

  @Test
  void readsParametersOfAllKindsAtTheirOffsets() {
    KernelCode k =
        Kernels.load(
            device,
            ".param .u8 a, .param .u16 b, .param .f64 c, .param .align 8 .b8 d[12], .param .f32 e, .param .u64 out",
            """
            ld.param.u64 %rd1, [out];
            ld.param.u8 %r1, [a]; st.global.u32 [%rd1], %r1;
            ld.param.u16 %rs1, [b]; cvt.u32.u16 %r1, %rs1; st.global.u32 [%rd1+4], %r1;
            ld.param.f64 %fd1, [c]; cvt.rzi.s32.f64 %r1, %fd1; st.global.u32 [%rd1+8], %r1;
            ld.param.v2.u32 {%r2, %r3}, [d]; ld.param.u32 %r4, [d+8]; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%rd1+12], %r2;
            ld.param.f32 %f1, [e]; cvt.rzi.s32.f32 %r1, %f1; st.global.u32 [%rd1+16], %r1;
            mov.b64 %rd2, d; cvta.param.u64 %rd2, %rd2; ld.u32 %r5, [%rd2+4]; st.global.u32 [%rd1+20], %r5;
            """);
    assertThat(k.parameterOffset(1)).isEqualTo(2);
    assertThat(k.parameterOffset(2)).isEqualTo(8);
    assertThat(k.parameterOffset(3)).isEqualTo(16);
    assertThat(k.parameterSize(3)).isEqualTo(12);
    assertThat(k.parameterOffset(4)).isEqualTo(28);
    assertThat(k.parameterOffset(5)).isEqualTo(32);
    assertThat(k.parameterBytes()).isEqualTo(40);
    Allocation out = device.allocate(24);
    ByteBuffer b = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
    b.put(0, (byte) 200)
        .putShort(2, (short) 60000)
        .putDouble(8, 7.9)
        .putInt(16, 1)
        .putInt(20, 20)
        .putInt(24, 300)
        .putFloat(28, 5.5f)
        .putLong(32, out.base());
    device.engine.run(new LaunchRequest(k, Dim3.of(1), Dim3.of(1), 0, b.array()));
    assertThat(Device.ints(out)).containsExactly(200, 60000, 7, 321, 5, 20);
  }

  @Test
  void readsMappedHostMemory() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(128, 64);
      for (int t = 0; t < 32; t++) {
        host.setAtIndex(ValueLayout.JAVA_INT, t, t * 3);
      }
      Allocation mapped = device.memory.mapHost(host.address(), 128, "pinned");
      KernelCode k =
          Kernels.load(
              device,
              ".param .u64 out",
              Kernels.OWN_SLOT
                  + "ld.global.u32 %r5, [%rd1]; add.s32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;");
      device.launch(k, 1, 32, mapped);
      for (int t = 0; t < 32; t++) {
        assertThat(host.getAtIndex(ValueLayout.JAVA_INT, t)).isEqualTo(t * 3 + 1);
      }
      device.memory.free(mapped);
    }
  }

  @Test
  void initialisesVariablesOfTheModule() {
    String text =
        Kernels.text(
            """
            .visible .global .align 4 .u32 counter = 7;
            .global .align 4 .f32 reals[4] = {0f3F800000, 0fC0000000, 2.5};
            .const .align 2 .b8 bytes[8] = {1, 2, 255, 4};
            .global .align 8 .u64 pointer = generic(reals)+4;
            .global .align 8 .b64 zero[2];
            """,
            ".param .u64 out",
            """
            ld.param.u64 %rd1, [out];
            ld.global.u32 %r1, [counter]; st.global.u32 [%rd1], %r1; add.s32 %r1, %r1, 1; st.global.u32 [counter], %r1;
            mov.u64 %rd2, reals; ld.global.v2.f32 {%f1, %f2}, [%rd2]; add.f32 %f1, %f1, %f2; st.global.f32 [%rd1+4], %f1;
            ld.const.u8 %r2, [bytes+2]; st.global.u32 [%rd1+8], %r2;
            ld.global.u64 %rd3, [pointer]; ld.global.f32 %f3, [%rd3]; st.global.f32 [%rd1+12], %f3;
            ld.global.f32 %f3, [reals+8]; st.global.f32 [%rd1+16], %f3;
            ld.global.u64 %rd4, [zero+8]; st.global.u32 [%rd1+20], %rd4;
            """);
    LoadedModule module = device.load(text);
    Allocation out = device.allocate(24);
    device.launch(Objects.requireNonNull(module.kernel("k")), 1, 1, out);
    device.launch(Objects.requireNonNull(module.kernel("k")), 1, 1, out);
    assertThat(Device.ints(out))
        .containsExactly(
            8,
            Float.floatToIntBits(-1f),
            255,
            Float.floatToIntBits(-2f),
            Float.floatToIntBits(2.5f),
            0);
    Allocation counter = Objects.requireNonNull(module.global("counter"));
    assertThat(counter.size()).isEqualTo(4);
    assertThat(Device.ints(counter)).containsExactly(9);
    module.unload();
    module.unload();
    assertThat(counter.live()).isFalse();
    assertThat(module.global("nothing")).isNull();
  }
}
