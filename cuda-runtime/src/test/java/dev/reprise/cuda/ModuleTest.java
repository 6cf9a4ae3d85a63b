package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.Test;

final class ModuleTest extends GpuTest {

  @Test
  void badPtxIsRefusedWithTheCompilersLog() {
    String bad = ptx().replaceFirst("mov\\.u32", "mov.bogus32");
    assertThatThrownBy(() -> device.loadModule("bad", bad))
        .isInstanceOfSatisfying(
            ModuleLoadException.class,
            e -> {
              assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_PTX");
              assertThat(e.function()).isEqualTo("cuModuleLoadDataEx");
              assertThat(e.arguments()).contains("label=bad");
              assertThat(e.errorLog()).isNotBlank();
              assertThat(e).hasMessageContaining(e.errorLog());
            });
    assertThat(live(ResourceKind.MODULE)).isEqualTo(1);
  }

  @Test
  void anUnknownKernelIsNamed() {
    assertThatThrownBy(() -> module.kernel("nonesuch"))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.name()).isEqualTo("CUDA_ERROR_NOT_FOUND");
              assertThat(e.arguments()).isEqualTo("module=kernels, name=nonesuch");
            });
  }

  @Test
  void aKernelIsLookedUpOnce() {
    Kernel kernel = module.kernel("scale");
    assertThat(module.kernel("scale")).isSameAs(kernel);
    assertThat(kernel.module()).isSameAs(module);
    assertThat(kernel.name()).isEqualTo("scale");
  }

  @Test
  void kernelsTellTheirResources() {
    Kernel kernel = module.kernel("blockSum");
    assertThat(kernel.attribute(KernelAttribute.NUM_REGS)).isPositive();
    assertThat(kernel.attribute(KernelAttribute.MAX_THREADS_PER_BLOCK)).isEqualTo(1024);
    assertThat(kernel.attribute(KernelAttribute.SHARED_SIZE_BYTES)).isZero();
  }
}
