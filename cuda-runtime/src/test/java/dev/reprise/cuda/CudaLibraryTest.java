package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CudaLibraryTest extends GpuTest {

  private static final String VARIABLE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .global .align 4 .b32 counter = 5;
      .visible .entry raise()
      {
        .reg .b32 %r<2>;
        .reg .b64 %rd<2>;
        mov.u64 %rd1, counter;
        ld.global.u32 %r1, [%rd1];
        add.u32 %r1, %r1, 1;
        st.global.u32 [%rd1], %r1;
        ret;
      }
      """;

  private PreparedLaunch fill(Kernel kernel, DeviceBuffer out, int value) {
    return kernel.prepare(
        LaunchConfig.of(1, 16), KernelArg.write(out), KernelArg.i32(value), KernelArg.i32(16));
  }

  @Test
  void itsKernelsAreLaunchedLikeThoseOfAModule() {
    try (CudaLibrary library = device.loadLibrary("library", ptx());
        DeviceBuffer out = device.allocate("out", 64)) {
      Kernel kernel = library.kernel("fill").on(device);
      fill(kernel, out, 7).launch(stream);
      assertThat(read(out)).containsOnly(7);
      assertThat(library.kernel("fill").on(device)).isSameAs(kernel);
      assertThat(kernel.module()).isSameAs(library.on(device));
      assertThat(kernel.occupancy().activeBlocks(64, 0)).isPositive();
    }
  }

  @Test
  void twoDevicesOfOneOrdinalShareTheCode() {
    try (CudaLibrary library = device.loadLibrary("library", VARIABLE);
        Device other = Device.open(0);
        Stream otherStream = other.createStream("other")) {
      library.kernel("raise").on(device).prepare(LaunchConfig.of(1, 1)).launch(stream);
      stream.synchronize();
      library.kernel("raise").on(other).prepare(LaunchConfig.of(1, 1)).launch(otherStream);
      otherStream.synchronize();
      assertThat(read(library.on(device).global("counter"))).containsExactly(7);
    }
  }

  @Test
  void aGraphKeepsTheCodeOfItsKernels() {
    try (DeviceBuffer out = device.allocate("out", 64)) {
      CudaLibrary library = device.loadLibrary("library", ptx());
      PreparedLaunch launch = fill(library.kernel("fill").on(device), out, 9);
      Graph graph = stream.capture(capture -> launch.launch(stream));
      GraphExec exec = graph.instantiate();
      graph.close();
      library.close();
      device.synchronize();
      assertThat(live(ResourceKind.LIBRARY)).isEqualTo(1);
      exec.replay(stream);
      assertThat(read(out)).containsOnly(9);
      exec.close();
    }
    Eventually.isTrue("unloaded", () -> live(ResourceKind.LIBRARY) == 0);
  }

  @Test
  void closingItWhileAKernelRunsWaitsForTheKernel() {
    CudaLibrary library = device.loadLibrary("library", ptx());
    try (PinnedBuffer flag = device.allocatePinned("flag", 4)) {
      flag.segment().set(java.lang.foreign.ValueLayout.JAVA_INT, 0, 0);
      library
          .kernel("gate")
          .on(device)
          .prepare(LaunchConfig.of(1, 1), KernelArg.i64(flag.segment().address()))
          .launch(stream);
      library.close();
      assertThat(live(ResourceKind.LIBRARY)).isEqualTo(1);
      flag.segment().set(java.lang.foreign.ValueLayout.JAVA_INT, 0, 1);
      stream.synchronize();
    }
    Eventually.isTrue("unloaded", () -> live(ResourceKind.LIBRARY) == 0);
  }

  @Test
  void afterCloseItsKernelsAreRefusedByName() {
    try (DeviceBuffer out = device.allocate("out", 64)) {
      CudaLibrary library = device.loadLibrary("math", ptx());
      LibraryKernel kernel = library.kernel("fill");
      PreparedLaunch launch = fill(kernel.on(device), out, 1);
      library.close();
      assertThatThrownBy(() -> launch.launch(stream))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'math' is closed");
      assertThatThrownBy(() -> library.kernel("fill"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("CudaLibrary 'math' is closed");
      assertThatThrownBy(() -> kernel.on(device)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(kernel::parameterBytes).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void closingItsModuleUnloadsNothing() {
    try (CudaLibrary library = device.loadLibrary("library", ptx());
        DeviceBuffer out = device.allocate("out", 64)) {
      library.on(device).close();
      fill(library.kernel("fill").on(device), out, 3).launch(stream);
      assertThat(read(out)).containsOnly(3);
    }
  }

  @Test
  void kernelsTellTheirNamesParametersAndAttributes() {
    try (CudaLibrary library = device.loadLibrary("library", VARIABLE);
        CudaLibrary kernels = device.loadLibrary("kernels", ptx())) {
      assertThat(library.kernelNames()).containsExactly("raise");
      assertThat(library.kernel("raise").parameterBytes()).isEmpty();
      LibraryKernel fill = kernels.kernel("fill");
      assertThat(kernels.kernel("fill")).isSameAs(fill);
      assertThat(kernels.kernelNames()).contains("fill", "scale", "gate");
      assertThat(fill.parameterBytes()).isEqualTo(List.of(8, 4, 4));
      assertThat(fill.attribute(device, KernelAttribute.MAX_THREADS_PER_BLOCK)).isEqualTo(1024);
      fill.setMaxDynamicSharedBytes(device, 60_000);
      assertThat(fill.attribute(device, KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES))
          .isEqualTo(60_000);
      assertThat(fill.on(device).attribute(KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES))
          .as("the kernel on the device is the same")
          .isEqualTo(60_000);
    }
  }

  @Test
  void anUnknownKernelAndBadCodeAreNamed() {
    try (CudaLibrary library = device.loadLibrary("library", VARIABLE)) {
      assertThatThrownBy(() -> library.kernel("nonesuch"))
          .isInstanceOfSatisfying(
              CudaException.class,
              e -> {
                assertThat(e.name()).isEqualTo("CUDA_ERROR_NOT_FOUND");
                assertThat(e.arguments()).isEqualTo("library=library, name=nonesuch");
              });
    }
    String bad = ptx().replaceFirst("mov\\.u32", "mov.bogus32");
    assertThatThrownBy(() -> device.loadLibrary("bad", bad))
        .isInstanceOfSatisfying(
            ModuleLoadException.class,
            e -> {
              assertThat(e.function()).isEqualTo("cuLibraryLoadData");
              assertThat(e.errorLog()).contains("mov.bogus32");
            });
    assertThat(live(ResourceKind.LIBRARY)).isZero();
  }
}
