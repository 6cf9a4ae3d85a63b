package dev.reprise.graph.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Roofline, model shapes and launch costs against values computed by hand. */
class StepModelTest {

  private static final ModelShape TINY = ModelShape.named("tiny-stories");
  private static final ModelShape EIGHT = ModelShape.named("llama-3.1-8b");

  @Test
  void theRooflineIsTheLongerOfBytesAndFlops() {
    Roofline roofline = new Roofline(2e12, 100e12);
    assertThat(roofline.ridge()).isEqualTo(50);
    assertThat(roofline.micros(2e6, 1e6)).isEqualTo(1);
    assertThat(roofline.boundByBytes(2e6, 1e6)).isTrue();
    assertThat(roofline.micros(2e6, 200e6)).isEqualTo(2);
    assertThat(roofline.boundByBytes(2e6, 200e6)).isFalse();
    assertThat(roofline.boundByBytes(2e6, 100e6)).as("at the ridge").isTrue();
    assertThat(roofline.micros(0, 0)).isZero();
    assertThatThrownBy(() -> new Roofline(0, 1)).hasMessageContaining("above 0");
  }

  @Test
  void theWeightsOfAStepAreThePublishedNumbers() {
    assertThat(TINY.stepWeights()).as("tied embedding").isEqualTo(1_115_520);
    // 8,030,261,248 parameters, less an embedding of 128,256 × 4,096 that is not tied.
    assertThat(EIGHT.stepWeights()).isEqualTo(8_030_261_248L - 128_256L * 4096);
    assertThat(EIGHT.kvBytesPerPosition()).isEqualTo(131_072);
    assertThat(TINY.kernels()).isEqualTo(50);
    assertThat(EIGHT.kernels()).isEqualTo(293);
    assertThatThrownBy(() -> ModelShape.named("x")).hasMessageContaining("known are llama-3.1-8b");
    assertThatThrownBy(() -> new ModelShape("x", 0, 1, 1, 1, 1, 1, 1, 1, 1))
        .hasMessageContaining("at least 1: 0");
  }

  @Test
  void bytesAndFlopsOfAStep() {
    double one = TINY.stepBytes(1, 100);
    // 2 · 5 layers · 2 heads · 32 · 4 bytes = 2560 a position.
    assertThat(one).isEqualTo((1_115_520 + 128) * 4 + 101 * 2560);
    assertThat(TINY.stepBytes(3, 100) - TINY.stepBytes(2, 100)).isEqualTo(128 * 4 + 101 * 2560);
    // 4 · 5 layers · 4 heads · 32 · 100 positions.
    assertThat(TINY.stepFlops(1, 100)).isEqualTo(2 * 1_115_520 + 256_000);
    assertThat(TINY.stepFlops(4, 100)).isEqualTo(4 * TINY.stepFlops(1, 100));
  }

  @Test
  void anEagerStepIsBoundByLaunchesOrByTheDevice() {
    LaunchCost cost = new LaunchCost(3, 1, 10, 0.5);
    assertThat(cost.eagerHostMicros(100)).isEqualTo(300);
    assertThat(cost.eagerMicros(100, 50)).as("bound by launches").isEqualTo(300);
    assertThat(cost.launchBound(100, 50)).isTrue();
    assertThat(cost.eagerMicros(100, 1000)).as("bound by the device").isEqualTo(1103);
    assertThat(cost.launchBound(100, 1000)).isFalse();
    assertThat(cost.replayMicros(100, 50)).isEqualTo(110);
    assertThat(cost.replayMicros(100, 1000)).isEqualTo(1060);
  }

  @Test
  void theBreakEvenIsTheFirstNumberOfKernelsThatPays() {
    // 3 K > 10 + 0.5 K from K = 4.
    assertThat(new LaunchCost(3, 1, 10, 0.5).breakEvenKernels()).hasValue(5);
    assertThat(new LaunchCost(3, 0, 10, 0.5).breakEvenKernels()).hasValue(5);
    assertThat(new LaunchCost(3, 0, 9, 0.5).breakEvenKernels()).hasValue(4);
    assertThat(new LaunchCost(1, 0, 9, 1).breakEvenKernels()).isEmpty();
    assertThatThrownBy(() -> new LaunchCost(-1, 0, 0, 0)).hasMessageContaining("-1.0");
    assertThatThrownBy(() -> new LaunchCost(Double.NaN, 0, 0, 0)).hasMessageContaining("NaN");
  }

  @Test
  void fusingSavesAWriteAndAReadAndALaunchForEachArrayBetween() {
    FusionSavings fused = new FusionSavings(3, 1_000_000, 4);
    assertThat(fused.bytes()).isEqualTo(16_000_000);
    assertThat(fused.launches()).isEqualTo(2);
    assertThat(fused.micros(2e12, 2.5)).isCloseTo(8 + 5, within(1e-9));
    FusionSavings alone = new FusionSavings(1, 1_000_000, 4);
    assertThat(alone.bytes()).isZero();
    assertThat(alone.micros(2e12, 2.5)).isZero();
    assertThatThrownBy(() -> new FusionSavings(0, 1, 1)).hasMessageContaining("0, 1, 1");
    assertThatThrownBy(() -> new FusionSavings(3, Long.MAX_VALUE, 4).bytes())
        .isInstanceOf(ArithmeticException.class);
  }
}
