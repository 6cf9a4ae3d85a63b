package dev.reprise.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SamplesTest {

  @Test
  void theMedianIsThatOfAllMeasurements() {
    Samples samples = new Samples();
    samples.add(new double[] {5, 1});
    samples.add(new double[] {100, 2, 3});
    assertThat(samples.estimate().median()).isEqualTo(3);
    assertThat(samples.sorted()).containsExactly(1, 2, 3, 5, 100);
  }

  @Test
  void quantilesLieBetweenTheNearestTwo() {
    assertThat(Samples.quantile(new double[] {10, 20}, 0.25)).isCloseTo(12.5, within(1e-9));
    assertThat(Samples.quantile(new double[] {10, 20}, 1)).isEqualTo(20);
    assertThat(Samples.quantile(new double[] {7}, 0.5)).isEqualTo(7);
  }

  @Test
  void processesThatDisagreeWidenTheInterval() {
    Samples alike = new Samples();
    Samples apart = new Samples();
    for (int process = 0; process < 5; process++) {
      double[] near = new double[20];
      double[] far = new double[20];
      for (int i = 0; i < near.length; i++) {
        near[i] = 50 + i % 5;
        far[i] = near[i] + 10 * process;
      }
      alike.add(near);
      apart.add(far);
    }
    assertThat(width(alike)).isLessThan(4);
    // As if the hundred measurements were independent, this would be below 10 too.
    assertThat(width(apart)).isGreaterThan(15);
  }

  private static double width(Samples samples) {
    Samples.Estimate estimate = samples.estimate();
    assertThat(estimate.median()).isBetween(estimate.low(), estimate.high());
    return estimate.high() - estimate.low();
  }

  @Test
  void theIntervalHoldsTheTruthAboutAsOftenAsItSays() {
    long seed = 4711;
    SplittableRandom random = new SplittableRandom(seed);
    int held = 0;
    int trials = 200;
    for (int trial = 0; trial < trials; trial++) {
      Samples samples = new Samples();
      for (int process = 0; process < 9; process++) {
        samples.add(new double[] {100 + random.nextGaussian(0, 5)});
      }
      Samples.Estimate estimate = samples.estimate();
      if (estimate.low() <= 100 && 100 <= estimate.high()) {
        held++;
      }
    }
    assertThat(held).as("of %d, seed %d", trials, seed).isBetween(175, 200);
  }
}
