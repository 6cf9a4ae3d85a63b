package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** How modules are compiled, and their variables. */
final class ModuleOptionsTest extends GpuTest {

  private static final String VARIABLES =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .global .align 4 .u32 counter = 5;
      .visible .const .align 4 .u32 factors[4] = {1, 2, 3, 4};
      .visible .entry scaled(.param .u64 out)
      {
        .reg .b32 %r<6>;
        .reg .b64 %d<3>;
        ld.param.u64 %d1, [out];
        cvta.to.global.u64 %d2, %d1;
        ld.global.u32 %r1, [counter];
        ld.const.u32 %r2, [factors+8];
        mul.lo.s32 %r3, %r1, %r2;
        st.global.u32 [%d2], %r3;
        add.s32 %r4, %r1, 1;
        st.global.u32 [counter], %r4;
        ret;
      }
      """;

  @Test
  void variablesAreReadAndWrittenAsMemory() {
    DeviceBuffer out = ints("out", 0);
    try (CudaModule code = device.loadModule("code", VARIABLES)) {
      DeviceBuffer counter = code.global("counter");
      DeviceBuffer factors = code.global("factors");
      assertThat(code.global("counter")).isSameAs(counter);
      assertThat(counter.label()).isEqualTo("code.counter");
      assertThat(counter.size()).isEqualTo(4);
      assertThat(read(factors)).containsExactly(1, 2, 3, 4);
      stream.write(new int[] {10}, factors, 8);
      PreparedLaunch launch =
          code.kernel("scaled").prepare(LaunchConfig.of(1, 1), KernelArg.write(out));
      stream.launch(launch);
      assertThat(read(out)).containsExactly(50);
      assertThat(read(counter)).containsExactly(6);
      assertThatThrownBy(() -> code.global("none"))
          .isInstanceOfSatisfying(
              CudaException.class, e -> assertThat(e.name()).isEqualTo("CUDA_ERROR_NOT_FOUND"));
      counter.close();
      assertThat(read(code.global("counter"))).as("opened again").containsExactly(6);
    }
    Eventually.isTrue("released", () -> live(ResourceKind.MODULE_VARIABLE) == 0);
    out.close();
  }

  @Test
  void aVariableKeepsItsModuleLoadedUnderAGraph() {
    DeviceBuffer out = ints("out", 0);
    CudaModule code = device.loadModule("code", VARIABLES);
    DeviceBuffer counter = code.global("counter");
    Graph graph = stream.capture(capture -> stream.copy(counter, 0, out, 0, 4));
    GraphExec exec = graph.instantiate();
    exec.replay(stream);
    assertThat(read(out)).containsExactly(5);
    code.close();
    assertThat(counter.isClosed()).isTrue();
    assertThatThrownBy(() -> exec.replay(stream))
        .isInstanceOf(StaleGraphException.class)
        .hasMessageContaining("code.counter");
    assertThat(live(ResourceKind.MODULE)).as("the test's own and this").isEqualTo(2);
    exec.close();
    graph.close();
    Eventually.isTrue("unloaded", () -> live(ResourceKind.MODULE) == 1);
    assertThatThrownBy(() -> code.global("counter")).isInstanceOf(IllegalStateException.class);
    out.close();
  }

  @Test
  void optionsReachTheDriver() {
    ModuleOptions options =
        ModuleOptions.STANDARD
            .withMaxRegisters(64)
            .withOptimizationLevel(3)
            .withLineInfo()
            .withDebugInfo()
            .withVerboseLog()
            .withLogBytes(1 << 10)
            .withTarget(new ComputeCapability(7, 5));
    try (CudaModule code = device.loadModule("code", VARIABLES, options)) {
      assertThat(code.log()).isNotNull();
      assertThat(code.kernel("scaled").attribute(KernelAttribute.PTX_VERSION)).isEqualTo(70);
    }
    byte[] image = VARIABLES.getBytes(StandardCharsets.UTF_8);
    try (CudaModule code = device.loadModule("bytes", image, ModuleOptions.STANDARD)) {
      assertThat(code.kernel("scaled").name()).isEqualTo("scaled");
    }
  }

  @Test
  void theLogIsAsLongAsTheOptionsAllow() {
    String wrong = VARIABLES.replace("mul.lo.s32", "frobnicate.s32");
    assertThatThrownBy(() -> device.loadModule("code", wrong))
        .isInstanceOfSatisfying(
            ModuleLoadException.class, e -> assertThat(e.errorLog()).contains("frobnicate"));
    assertThatThrownBy(
            () -> device.loadModule("code", wrong, ModuleOptions.STANDARD.withLogBytes(8)))
        .isInstanceOfSatisfying(
            ModuleLoadException.class, e -> assertThat(e.errorLog()).hasSizeLessThan(8));
    assertThatThrownBy(() -> ModuleOptions.STANDARD.withOptimizationLevel(5))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ModuleOptions.STANDARD.withMaxRegisters(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void machineCodeOfOtherDevicesIsRefusedWithTheDriversReason() {
    byte[] elf = {0x7f, 'E', 'L', 'F', 0, 0, 0, 0};
    assertThatThrownBy(() -> device.loadModule("cubin", elf, ModuleOptions.STANDARD))
        .isInstanceOf(ModuleLoadException.class);
  }
}
