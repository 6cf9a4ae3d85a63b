package dev.reprise.graph.autotune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.Device;
import dev.reprise.graph.autotune.AutotuneReport.Outcome;
import dev.reprise.graph.autotune.AutotuneReport.Source;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.contract.ElementType;
import dev.reprise.kernels.variant.TunableShape;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Warm-ups on the device of the tests, with the kernels themselves. */
class WarmUpTest {

  private static final List<TunableShape> SHAPES =
      List.of(
          new TunableShape.Product(ElementType.F32, 3, 1100, 20),
          new TunableShape.Product(ElementType.F16, 1, 2048, 17),
          new TunableShape.Product(ElementType.F32, 1, 33, 5),
          new TunableShape.Attention(2, 2, 1, 32, 16, 600),
          new TunableShape.Gate(2, 264));

  private static Device device;

  @TempDir private Path folder;

  @BeforeAll
  static void open() {
    device = Device.open(0);
  }

  @AfterAll
  static void close() {
    device.close();
  }

  private static AutotuneOptions options(long maxBytes) {
    return new AutotuneOptions(Optional.empty(), Duration.ofMinutes(5), 1, 0.03, maxBytes);
  }

  @Test
  void everyVariantOfEveryShapeIsTriedKeepsItsBitsAndTheChoiceIsKeptForTheNextProcess() {
    AutotuneOptions options = options(1 << 24).withFolder(folder);
    String signature;
    try (Kernels kernels = Kernels.load(device)) {
      long free = device.memoryInfo().freeBytes();
      AutotuneReport report = Autotuner.warmUp(kernels, SHAPES, options);
      assertThat(device.memoryInfo().freeBytes()).as("operands are freed").isEqualTo(free);
      assertThat(report.outcomes())
          .hasSize(SHAPES.size())
          .allSatisfy(outcome -> {
            assertThat(outcome.source()).isEqualTo(Source.MEASURED);
            assertThat(outcome.rejected()).as("%s", outcome.shape()).isZero();
            assertThat(outcome.standardMicros()).isPositive();
          });
      assertThat(kernels.variants().choices()).hasSize(SHAPES.size());
      assertThat(kernels.variants().problem()).isEmpty();
      signature = kernels.signature();
      assertThatThrownBy(() -> Autotuner.warmUp(kernels, SHAPES, options))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("in use");
    }
    try (Kernels kernels = Kernels.load(device)) {
      AutotuneReport report = Autotuner.warmUp(kernels, SHAPES, options);
      assertThat(report.outcomes()).extracting(Outcome::source).containsOnly(Source.KEPT);
      assertThat(kernels.signature()).isEqualTo(signature);
    }
  }

  @Test
  void operandsBeyondTheirLimitAreNotTried() {
    try (Kernels kernels = Kernels.load(device)) {
      AutotuneReport report = Autotuner.warmUp(kernels, SHAPES.subList(0, 1), options(1000));
      assertThat(report.outcomes().getFirst().source()).isEqualTo(Source.NOT_TRIED);
      assertThat(report.changed()).isZero();
    }
  }
}
