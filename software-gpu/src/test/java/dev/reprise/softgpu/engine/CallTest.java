package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls as PTX has them beyond what compilers make of ordinary sources. */
final class CallTest {
  private static final String FUNCTIONS =
      """
      .func (.param .b32 r) twice(.param .b32 a)
      { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
      .func (.param .b32 r) double_it(.param .b32 a);
      .alias double_it, twice;
      .func (.param .b32 r) endless(.param .b32 a)
      {
        .reg .b32 %x; .param .b32 v; .param .b32 w;
        ld.param.b32 %x, [a]; add.u32 %x, %x, 1; st.param.b32 [v], %x;
        call (w), endless, (v);
        ld.param.b32 %x, [w]; st.param.b32 [r], %x; ret;
      }
      .func (.param .b32 r) count(.param .b32 a)
      {
        .reg .b32 %x, %y, %z; .reg .f32 %f; .reg .f64 %d; .reg .b64 %l; .reg .pred %p, %q;
        .param .b32 v; .param .b32 w;
        ld.param.b32 %x, [a]; cvt.rn.f32.u32 %f, %x; cvt.f64.f32 %d, %f; mul.wide.u32 %l, %x, 3;
        setp.eq.u32 %p, %x, 0; and.b32 %y, %x, 1; setp.eq.u32 %q, %y, 0;
        st.param.b32 [r], %x;
        @%p ret;
        sub.u32 %z, %x, 1; st.param.b32 [v], %z;
        call (w), count, (v);
        ld.param.b32 %z, [w];
        cvt.rzi.u32.f32 %y, %f; add.u32 %z, %z, %y;
        cvt.rzi.u32.f64 %y, %d; add.u32 %z, %z, %y;
        cvt.u32.u64 %y, %l; add.u32 %z, %z, %y; @%q add.u32 %z, %z, 1000;
        st.param.b32 [r], %z; ret;
      }
      .global .align 8 .u64 pointers[2] = {twice, double_it};
      .global .b32 known = 5;
      .global .align 8 .b8 bytes[8] = {0xff(known), 0xff00(known), 0xff0000(known), 0xff000000(known),
        0xff00000000(known), 0xff0000000000(known), 0xff000000000000(known), 0xff00000000000000(known)};
      .global .f16 halves[2] = {1.5, -2.0};
      """;

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  private int[] run(Execution execution, int threads, String body) {
    String text =
        Kernels.text(
            FUNCTIONS,
            ".param .u64 out",
            ".param .b32 arg; .param .b32 res;\n"
                + Kernels.OWN_SLOT
                + body
                + "\nst.global.u32 [%rd1], %r9;");
    Allocation out = device.allocate(threads * 4L);
    KernelCode code = Objects.requireNonNull(device.load(text).kernel("k"));
    try (Engine engine = new Engine(device.memory, 1, execution)) {
      Device.launch(engine, code, Dim3.of(1), Dim3.of(threads), 0, out);
    }
    return Device.ints(out);
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void keepsRegistersOfEveryKindOverACall(Execution execution) {
    int[] got =
        run(
            execution,
            70,
            """
            rem.u32 %r5, %r1, 9; st.param.b32 [arg], %r5; mov.u32 %r9, 7;
            setp.ne.u32 %p1, %r5, 4;
            @%p1 call (res), count, (arg);
            @%p1 ld.param.b32 %r9, [res];
            """);
    for (int t = 0; t < 70; t++) {
      int want = 0;
      for (int k = 1; k <= t % 9; k++) {
        want += 5 * k + (k % 2 == 0 ? 1000 : 0);
      }
      assertThat(got[t]).as("thread %d", t).isEqualTo(t % 9 == 4 ? 7 : want);
    }
  }

  @Test
  void callsByAliasAndByEachLanesOwnAddress() {
    int[] got =
        run(
            Execution.INTERPRETED,
            40,
            """
            st.param.b32 [arg], %r1; call.uni (res), double_it, (arg); ld.param.b32 %r5, [res];
            and.b32 %r6, %r1, 1; mul.wide.u32 %rd2, %r6, 8; mov.u64 %rd3, pointers; add.u64 %rd3, %rd3, %rd2;
            ld.global.u64 %rd4, [%rd3]; st.param.b32 [arg], %r5;
            P: .callprototype (.param .b32 _) _ (.param .b32 _);
            call (res), %rd4, (arg), P; ld.param.b32 %r9, [res];
            """);
    for (int t = 0; t < 40; t++) {
      assertThat(got[t]).isEqualTo(4 * t);
    }
  }

  @Test
  void reportsACallOfNoFunction() {
    String body =
        "mov.u64 %rd4, twice; setp.eq.u32 %p1, %r1, 7; selp.b64 %rd4, %rd1, %rd4, %p1;"
            + "st.param.b32 [arg], %r1; call (res), %rd4, (arg); ld.param.b32 %r9, [res];";
    assertThatThrownBy(() -> run(Execution.INTERPRETED, 32, body))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(718))
        .hasMessageContaining("thread (7, 0, 0)")
        .hasMessageContaining("no function");
  }

  @Test
  void endsAnEndlessRecursion() {
    String body = "st.param.b32 [arg], %r1; call (res), endless, (arg); ld.param.b32 %r9, [res];";
    assertThatThrownBy(() -> run(Execution.INTERPRETED, 32, body))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(714))
        .hasMessageContaining("stack overflow");
  }

  @Test
  void initialisesBytesOfAddressesAndHalves() {
    String body =
        """
        mov.u64 %rd2, bytes; ld.global.u64 %rd3, [%rd2]; ld.global.u32 %r9, [%rd3];
        ld.global.u32 %r5, [halves]; add.u32 %r9, %r9, %r5;
        """;
    assertThat(run(Execution.INTERPRETED, 1, body)[0]).isEqualTo(5 + 0xc000_3e00);
  }
}
