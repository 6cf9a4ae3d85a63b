package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.ptx.PtxException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the engine cannot run is refused when the module is loaded, by name and line. */
final class UnsupportedTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}]",
        "wgmma.fence.sync.aligned",
        "vote.ballot.b32 %r1, %p1",
        "tcgen05.fence::before_thread_sync",
        "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r4, %r5}], [%r3], {1, %rs1}",
        "tensormap.replace.tile.interleave_layout.global.b1024.b32 [%rd1], 1",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2]",
        "mma.sync.aligned.m16n8k16.row.row.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%f1,%f2,%f3,%f4}",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2]",
        "add.f32.wrong %f1, %f2, %f3",
        "st.const.u32 [%rd1], %r1",
        "atom.global.mul.u32 %r1, [%rd1], %r2",
        "add.b8 %rs1, %rs2, %rs3",
        "call.uni vprintf, ()"
      })
  void namesInstructionAndLine(String instruction) {
    long before = device.memory.usedBytes();
    String text = Kernels.text(".global .u32 v;", ".param .u64 out", "\n\n" + instruction + ";");
    int line = (int) text.substring(0, text.indexOf(instruction)).lines().count() + 1;
    String opcode = instruction.split("[ .]", -1)[0];
    assertThatThrownBy(() -> device.load(text))
        .isInstanceOfSatisfying(PtxException.class, e -> assertThat(e.line()).isEqualTo(line))
        .hasMessageContaining(opcode);
    assertThat(device.memory.usedBytes()).isEqualTo(before);
  }

  @Test
  void namesAnUnknownRegister() {
    assertThatThrownBy(() -> device.load(Kernels.text("", "mov.u32 %q1, 0;")))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("%q1");
  }

  @Test
  void namesAnUnsupportedSpecialRegister() {
    assertThatThrownBy(() -> device.load(Kernels.text("", "mov.u32 %r1, %pm9;")))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("%pm9");
  }

  @Test
  void refusesAMissingLabel() {
    assertThatThrownBy(() -> device.load(Kernels.text("", "bra NOWHERE;")))
        .hasMessageContaining("NOWHERE");
  }

  @Test
  void refusesAnUnresolvedExternalVariable() {
    assertThatThrownBy(() -> device.load(Kernels.text(".extern .global .u32 other;", "", "")))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("other");
  }

  @Test
  void refusesACallOfTheDeviceRuntimeWithOtherParameters() {
    String declaration =
        ".extern .func cudaGraphSetConditional (.param .b32 handle, .param .b32 value);";
    String call =
        """
        { .param .b32 p0; .param .b32 p1;
        call.uni cudaGraphSetConditional, (p0, p1); }
        """;
    assertThatThrownBy(() -> device.load(Kernels.text(declaration, "", call)))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("smaller than parameter");
  }
}
