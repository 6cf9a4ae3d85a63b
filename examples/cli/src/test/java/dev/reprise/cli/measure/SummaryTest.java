package dev.reprise.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SummaryTest {

  @Test
  void percentilesAreInterpolatedWhateverTheOrder() {
    double[] values = IntStream.rangeClosed(0, 100).mapToDouble(i -> (i * 37) % 101).toArray();
    Summary summary = Summary.of(values);
    assertThat(summary.count()).isEqualTo(101);
    assertThat(summary.median()).isEqualTo(50);
    assertThat(summary.p10()).isEqualTo(10);
    assertThat(summary.p90()).isEqualTo(90);
    assertThat(summary.p99()).isEqualTo(99);
    assertThat(Summary.of(new double[] {1, 2}).median()).isEqualTo(1.5);
  }

  @Test
  void theIntervalOfAFewValuesIsAllOfThem() {
    Summary summary = Summary.of(new double[] {3, 1, 2});
    assertThat(summary.low()).isEqualTo(1);
    assertThat(summary.high()).isEqualTo(3);
    assertThat(Summary.of(new double[] {7})).isEqualTo(new Summary(1, 7, 7, 7, 7, 7, 7));
  }

  @Test
  void theIntervalHoldsTheTrueMedianAboutNineteenTimesOfTwenty() {
    long seed = 20_261;
    Random random = new Random(seed);
    int trials = 2000;
    int held = 0;
    for (int trial = 0; trial < trials; trial++) {
      Summary summary = Summary.of(random.doubles(40).map(u -> -Math.log(1 - u)).toArray());
      if (summary.low() <= Math.log(2) && Math.log(2) <= summary.high()) {
        held++;
      }
    }
    assertThat((double) held / trials).as("seed %d", seed).isBetween(0.94, 0.985);
  }

  @Test
  void nothingHasNoSummary() {
    assertThatThrownBy(() -> Summary.of(new double[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
