package dev.reprise.graph.autotune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.autotune.AutotuneReport.Outcome;
import dev.reprise.graph.autotune.AutotuneReport.Source;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is chosen from which times, and how long choosing may take. */
class AutotunerTest {

  private static final TunableShape A = FakeBench.shape(512);
  private static final TunableShape B = FakeBench.shape(1024);
  private static final TunableShape C = FakeBench.shape(2048);
  private static final AutotuneOptions OPTIONS = AutotuneOptions.standard().withRounds(3);

  private final FakeBench bench = new FakeBench();

  private AutotuneReport run(AutotuneOptions options, TunableShape... shapes) {
    return new Autotuner(
            new TuningEnvironment("a device", "a driver", "kernels"),
            options,
            bench::variants,
            bench,
            () -> bench.clock)
        .run(List.of(shapes));
  }

  @ParameterizedTest
  @CsvSource({
    // the standard variant, two others, which is chosen
    "100, 60, 70, 2",
    "100, 120, 70, 3",
    "100, 98, 99, 1", // less than 3% saved
    "100, 96, 96, 2", // the first of equals
    "100, 100, 100, 1"
  })
  void theFastestIsChosenIfItSavesEnough(double standard, double second, double third, int chosen) {
    bench.with(A, new double[] {standard, second, third});
    Outcome outcome = run(OPTIONS, A).outcomes().getFirst();
    assertThat(outcome.variant()).isEqualTo(new KernelVariant.Attention(chosen));
    assertThat(outcome.standard()).isEqualTo(new KernelVariant.Attention(1));
    assertThat(outcome.source()).isEqualTo(Source.MEASURED);
    assertThat(outcome.standardMicros()).isEqualTo(standard);
    assertThat(outcome.micros()).isEqualTo(List.of(standard, second, third).get(chosen - 1));
    assertThat(bench.open).as("trials left open").isZero();
  }

  @Test
  void theMedianCountsAndNotTheBestOrTheMean() {
    // Variant 2 was disturbed once and 3 was lucky once.
    bench.with(
        A, new double[] {100, 900, 10}, new double[] {100, 80, 95}, new double[] {100, 80, 95});
    assertThat(run(OPTIONS, A).outcomes().getFirst().variant())
        .isEqualTo(new KernelVariant.Attention(2));
  }

  @Test
  void variantsTakeTurnsInAnOrderThatTurnsAround() {
    bench.with(A, new double[] {3, 2, 1});
    run(OPTIONS, A);
    assertThat(bench.order).containsExactly(0, 1, 2, 2, 1, 0, 0, 1, 2);
  }

  @Test
  void aVariantThatLeavesOtherBitsIsNeverTimedOrChosen() {
    bench.with(A, new double[] {100, 1, 90});
    bench.wrongBits.add(1);
    Outcome outcome = run(OPTIONS, A).outcomes().getFirst();
    assertThat(outcome.variant()).isEqualTo(new KernelVariant.Attention(3));
    assertThat(outcome.rejected()).isEqualTo(1);
    assertThat(bench.order).doesNotContain(1);
  }

  @Test
  void whenTimeIsUpTheRestTakesTheStandardVariantAtOnce() {
    bench
        .with(A, new double[] {1000, 1})
        .with(B, new double[] {1000, 1})
        .with(C, new double[] {1000, 1});
    // Three rounds of A take 3 ms.
    AutotuneReport report = run(OPTIONS.withBudget(Duration.ofMillis(3)), A, B, C);
    assertThat(report.outcomes())
        .extracting(Outcome::source)
        .containsExactly(Source.MEASURED, Source.TIME_WAS_UP, Source.TIME_WAS_UP);
    assertThat(report.outcomes().getLast().variant()).isEqualTo(new KernelVariant.Attention(1));
    assertThat(bench.opened).containsExactly(A);
    assertThat(run(OPTIONS.withBudget(Duration.ZERO), A).count(Source.TIME_WAS_UP)).isEqualTo(1);
  }

  @Test
  void whenTimeIsUpInTheMiddleOfAShapeTheRoundsSoFarDo() {
    bench.with(A, new double[] {1000, 500});
    Outcome outcome = run(OPTIONS.withBudget(Duration.ofMillis(1)), A).outcomes().getFirst();
    assertThat(bench.order).as("one round of three").containsExactly(0, 1);
    assertThat(outcome.source()).isEqualTo(Source.MEASURED);
    assertThat(outcome.variant()).isEqualTo(new KernelVariant.Attention(2));
  }

  @Test
  void aShapeThatCannotBeMeasuredTakesTheStandardVariant() {
    bench.with(B, new double[] {100, 50});
    AutotuneReport report = run(OPTIONS, A, B, B);
    assertThat(report.outcomes())
        .extracting(Outcome::source)
        .as("each shape once")
        .containsExactly(Source.NOT_TRIED, Source.MEASURED);
    assertThat(report.outcomes().getFirst().variant()).isEqualTo(new KernelVariant.Attention(1));
    assertThat(report.changed()).isEqualTo(1);
    assertThat(report.cache()).isEqualTo(CacheState.OFF);
  }

  @Test
  void boundsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> OPTIONS.withRounds(0)).hasMessageContaining("not 0");
    assertThatThrownBy(() -> OPTIONS.withBudget(Duration.ofSeconds(-1)))
        .hasMessageContaining("not negative");
  }
}
