package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.Kernel;
import dev.reprise.cuda.KernelAttribute;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.ModuleLoadException;
import dev.reprise.cuda.ModuleOptions;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loads code, reaches its variables, and shows what the driver's compiler says against it. */
@ExtendWith(EverythingReleased.class)
final class LoadCodeTest {

  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .global .align 4 .b32 counter = 5;
      .visible .entry count() {
        .reg .b32 %r<3>;
        ld.global.u32 %r1, [counter];
        add.s32 %r2, %r1, 1;
        st.global.u32 [counter], %r2;
        ret;
      }
      """;

  @Test
  void aKernelCountsInAVariable() {
    int[] result = new int[1];
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        CudaModule module =
            device.loadModule("counting", PTX, ModuleOptions.STANDARD.withVerboseLog())) {
      Kernel count = module.kernel("count");
      assertThat(count.attribute(KernelAttribute.PTX_VERSION)).isEqualTo(70);
      count.prepare(LaunchConfig.of(1, 1)).launch(stream);
      stream.read(module.global("counter"), 0, result);
    }
    assertThat(result).containsExactly(6);
  }

  @Test
  void codeThatDoesNotLoadComesWithTheLog() {
    try (Device device = Device.open(0)) {
      assertThatThrownBy(() -> device.loadModule("wrong", PTX.replace("add.s32", "plus.s32")))
          .isInstanceOfSatisfying(
              ModuleLoadException.class, e -> assertThat(e.errorLog()).contains("plus.s32"));
    }
  }
}
