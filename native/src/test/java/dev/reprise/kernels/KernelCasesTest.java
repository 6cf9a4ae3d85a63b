package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.kernels.check.Agreement;
import dev.reprise.kernels.check.KernelCase;
import dev.reprise.kernels.check.KernelCases;
import dev.reprise.kernels.contract.KernelContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(GpuExtension.class)
class KernelCasesTest {

  @Test
  void everyKernelHasACaseAndTheQuickOnesHold(Gpu gpu) {
    for (KernelCase one : KernelCases.of(gpu.device(), true)) {
      Agreement agreement = one.run(gpu.kernels(), gpu, Gpu.SEED);
      assertThat(agreement.holds()).as("%s: %s", one, agreement).isTrue();
      assertThat(agreement.elements()).isPositive();
    }
    for (boolean quick : new boolean[] {true, false}) {
      assertThat(KernelCases.of(gpu.device(), quick).stream().map(KernelCase::kernel).distinct())
          .containsExactlyInAnyOrderElementsOf(
              Kernels.contracts().stream().map(KernelContract::name).toList());
    }
  }

  @Test
  void aCaseThatLaunchesAnotherKernelIsRefused(Gpu gpu) {
    KernelCase swiglu =
        KernelCases.of(gpu.device(), true).stream()
            .filter(one -> one.kernel().equals("swiglu"))
            .findFirst()
            .orElseThrow();
    KernelCase wrong = new KernelCase("rms_norm", swiglu.shape(), swiglu.body());
    assertThatThrownBy(() -> wrong.run(gpu.kernels(), gpu, Gpu.SEED))
        .hasMessageContaining("rms_norm")
        .hasMessageContaining("swiglu");
  }
}
