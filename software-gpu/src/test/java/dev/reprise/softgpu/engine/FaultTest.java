package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a device stops for, and what the report says. */
final class FaultTest {
  private final Device device = new Device(2);

  @AfterEach
  void close() {
    device.close();
  }

  private AbstractThrowableAssert<?, ?> fault(
      int code, int blocks, int threads, String body, Allocation out) {
    KernelCode k = Kernels.load(device, ".param .u64 out", body);
    return assertThatThrownBy(() -> device.launch(k, blocks, threads, out))
        .isInstanceOfSatisfying(DeviceFault.class, f -> assertThat(f.cudaError()).isEqualTo(code))
        .hasMessageContaining("kernel k")
        .hasMessageContaining("PTX line");
  }

  @Test
  void namesTheFirstThreadBeyondTheEnd() {
    Allocation out = device.allocate(4 * 70);
    fault(700, 1, 96, Kernels.OWN_SLOT + "\nst.global.u32 [%rd1], %r1;", out)
        .hasMessageContaining("write of 4 bytes")
        .hasMessageContaining("thread (70, 0, 0)")
        .hasMessageContaining("block (0, 0, 0)")
        .hasMessageContaining(String.format("0x%x", out.base() + 280))
        .hasMessageContaining("test buffer")
        .hasMessageContaining("ends 0 bytes before");
    // Lanes before the faulty warp's have been written.
    assertThat(Device.ints(out)[63]).isEqualTo(63);
  }

  @Test
  void catchesReadsBeforeTheStartAndAcrossTheEnd() {
    Allocation out = device.allocate(1000);
    fault(700, 1, 32, "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1+-4];", out)
        .hasMessageContaining("starts 4 bytes after");
    fault(
            700,
            1,
            32,
            "ld.param.u64 %rd1, [out]; ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1+992];",
            out)
        .hasMessageContaining("read of 16 bytes");
    fault(700, 1, 1, "ld.global.u32 %r1, [0];", out);
    fault(700, 1, 1, "ld.param.u64 %rd1, [out]; atom.global.add.u32 %r1, [%rd1+1000], 1;", out)
        .hasMessageContaining("atomic");
  }

  @Test
  void catchesMisalignedAccess() {
    Allocation out = device.allocate(1024);
    fault(
            716,
            1,
            32,
            Kernels.OWN_SLOT
                + "add.s64 %rd1, %rd1, 2; setp.eq.u32 %p1, %r1, 9; @%p1 ld.global.u32 %r5, [%rd1];",
            out)
        .hasMessageContaining("misaligned")
        .hasMessageContaining("thread (9, 0, 0)");
    fault(716, 1, 1, "ld.param.u64 %rd1, [out]; ld.global.v2.f32 {%f1,%f2}, [%rd1+4];", out);
  }

  @Test
  void catchesUseAfterFree() {
    Allocation out = device.allocate(128);
    KernelCode k =
        Kernels.load(device, ".param .u64 out", Kernels.OWN_SLOT + "st.global.u32 [%rd1], %r1;");
    device.launch(k, 1, 32, out);
    device.memory.free(out);
    Allocation later = device.allocate(128);
    assertThatThrownBy(() -> device.launch(k, 1, 32, out))
        .isInstanceOfSatisfying(DeviceFault.class, f -> assertThat(f.cudaError()).isEqualTo(700));
    assertThat(Device.ints(later)).containsOnly(0);
  }

  @Test
  void catchesSharedLocalAndParameterOverflow() {
    Allocation out = device.allocate(128);
    fault(
            700,
            1,
            32,
            ".shared .align 4 .b8 s[64]; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %r1;",
            out)
        .hasMessageContaining("shared memory")
        .hasMessageContaining("thread (16, 0, 0)");
    fault(700, 1, 32, ".local .align 4 .b8 d[16]; mov.u64 %rd1, d; st.local.u32 [%rd1+16], 0;", out)
        .hasMessageContaining("local memory");
    fault(
            700,
            1,
            1,
            ".shared .align 4 .b8 s[64]; mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; ld.u32 %r1, [%rd1+64];",
            out)
        .hasMessageContaining("shared memory");
    fault(700, 1, 1, "mov.u64 %rd1, out; ld.param.u64 %rd2, [%rd1+8];", out)
        .hasMessageContaining("parameters");
  }

  @Test
  void acceptsALaneThatIsOffWhereItsAddressIsWrong() {
    Allocation out = device.allocate(4 * 20);
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 out",
            Kernels.OWN_SLOT + "setp.lt.u32 %p1, %r1, 20; @%p1 st.global.u32 [%rd1], %r1;");
    assertThatCode(() -> device.launch(k, 1, 32, out)).doesNotThrowAnyException();
  }

  @Test
  void stopsAtATrap() {
    Allocation out = device.allocate(128);
    fault(
            719,
            3,
            32,
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r1, 5; setp.eq.and.u32 %p1, %r2, 2, %p1;\n@%p1 trap;",
            out)
        .hasMessageContaining("trap")
        .hasMessageContaining("block (2, 0, 0)")
        .hasMessageContaining("thread (5, 0, 0)");
  }

  @Test
  void namesThreadsOfThreeDimensionalBlocks() {
    Allocation out = device.allocate(128);
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 out",
            "mov.u32 %r1, %tid.z; setp.eq.u32 %p1, %r1, 1; mov.u32 %r1, %ctaid.y; setp.eq.and.u32 %p1, %r1, 1, %p1; @%p1 trap;");
    assertThatThrownBy(() -> device.launch(k, new Dim3(2, 2, 1), new Dim3(3, 5, 2), 0, out))
        .hasMessageContaining("thread (0, 0, 1)")
        .hasMessageContaining(", 1, 0)");
  }

  @Test
  void runsAgainAfterAFault() {
    Allocation out = device.allocate(128);
    KernelCode k =
        Kernels.load(
            device,
            ".param .u64 out, .param .u32 bad",
            Kernels.OWN_SLOT
                + "ld.param.u32 %r5, [bad]; setp.ne.u32 %p1, %r5, 0; @%p1 trap; bar.sync 0; st.global.u32 [%rd1], 4;");
    assertThatThrownBy(() -> device.launch(k, 1, 32, out, 1)).isInstanceOf(DeviceFault.class);
    device.launch(k, 1, 32, out, 0);
    assertThat(Device.ints(out)).containsOnly(4);
  }
}
