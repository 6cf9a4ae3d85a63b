package dev.reprise.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LineFitTest {

  @Test
  void pointsOnALineGiveTheLine() {
    LineFit line = LineFit.of(new double[] {1, 2, 5, 10}, new double[] {5, 7, 13, 23});
    assertThat(line.slope()).isCloseTo(2, within(1e-12));
    assertThat(line.intercept()).isCloseTo(3, within(1e-12));
    assertThat(line.slopeError()).isCloseTo(0, within(1e-9));
    assertThat(line.rSquared()).isCloseTo(1, within(1e-12));
  }

  /** Anscombe's first quartet, whose figures are known. */
  @Test
  void aKnownScatterGivesItsKnownLineAndErrors() {
    double[] x = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    double[] y = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    LineFit line = LineFit.of(x, y);
    assertThat(line.intercept()).isCloseTo(3.0001, within(1e-4));
    assertThat(line.slope()).isCloseTo(0.50009, within(1e-5));
    assertThat(line.rSquared()).isCloseTo(0.66654, within(1e-5));
    assertThat(line.interceptError()).isCloseTo(2.262 * 1.12475, within(1e-3));
    assertThat(line.slopeError()).isCloseTo(2.262 * 0.11791, within(1e-3));
  }

  @Test
  void theIntervalHoldsTheTrueSlopeAboutNineteenTimesOfTwenty() {
    long seed = 20_261;
    Random random = new Random(seed);
    double[] x = {1, 2, 5, 10, 20};
    int trials = 2000;
    int held = 0;
    for (int trial = 0; trial < trials; trial++) {
      double[] y = new double[x.length];
      for (int i = 0; i < x.length; i++) {
        y[i] = 4 + 3 * x[i] + random.nextGaussian();
      }
      LineFit line = LineFit.of(x, y);
      if (Math.abs(line.slope() - 3) <= line.slopeError()) {
        held++;
      }
    }
    assertThat((double) held / trials).as("seed %d", seed).isBetween(0.93, 0.97);
  }

  @Test
  void whatHasNoLineIsRefused() {
    assertThatThrownBy(() -> LineFit.of(new double[] {1, 2}, new double[] {1, 2}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LineFit.of(new double[] {2, 2, 2}, new double[] {1, 2, 3}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2.0");
  }
}
