package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.AddressSpace;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that never end, and a limit that ends them. */
class LaunchLimitTest {
  private static final String PTX =
      """
      .version 8.0
      .target sm_75
      .address_size 64
      .entry spin() { again: bra again; }
      .entry meet() { again: bar.sync 0; bra again; }
      .entry apart() {
        .reg .b32 %r; .reg .pred %p;
        mov.u32 %r, %tid.x; setp.eq.u32 %p, %r, 3;
        @%p bra again; ret;
        again: bra again; }
      .entry table() { .reg .b32 %r; mov.u32 %r, 0;
        again: targets: .branchtargets again; brx.idx %r, targets; }
      .entry turns() {
        .reg .b32 %r, %s; .reg .pred %p;
        mov.u32 %r, %tid.x; and.b32 %s, %r, 1;
        targets: .branchtargets even, odd;
        even: brx.idx %s, targets;
        odd: brx.idx %s, targets; }
      .entry fine() { ret; }
      """;

  private static void run(Engine engine, LoadedModule module, String kernel) {
    KernelCode code = Objects.requireNonNull(module.kernel(kernel));
    engine.run(new LaunchRequest(code, Dim3.of(5), Dim3.of(64), 0, new byte[0]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"spin", "meet", "apart", "table", "turns"})
  void aKernelThatNeverEndsIsEnded(String kernel) {
    try (AddressSpace memory = new AddressSpace(1 << 20);
        Engine engine = new Engine(memory, 2)) {
      LoadedModule module = LoadedModule.load(PTX, memory);
      engine.limitLaunches(20_000_000);
      assertThatThrownBy(() -> run(engine, module, kernel))
          .isInstanceOfSatisfying(
              DeviceFault.class,
              fault -> assertThat(fault.cudaError()).isEqualTo(DeviceFault.LAUNCH_TIMEOUT))
          .hasMessageStartingWith("kernel " + kernel + " ran longer than the limit, block (");
    }
  }

  @Test
  void theEngineRunsOnAfterwards() {
    try (AddressSpace memory = new AddressSpace(1 << 20);
        Engine engine = new Engine(memory, 2)) {
      LoadedModule module = LoadedModule.load(PTX, memory);
      engine.limitLaunches(1);
      assertThatThrownBy(() -> run(engine, module, "spin")).isInstanceOf(DeviceFault.class);
      engine.limitLaunches(0);
      run(engine, module, "fine");
    }
  }

  @Test
  void aLimitCannotBeNegative() {
    try (AddressSpace memory = new AddressSpace(1 << 20);
        Engine engine = new Engine(memory, 1)) {
      assertThatThrownBy(() -> engine.limitLaunches(-1))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
