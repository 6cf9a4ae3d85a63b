package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LowerHullTest {

  @Test
  void theLeastLineIsFoundWhereverAsked() {
    LowerHull hull = new LowerHull(40);
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      int lines = 1 + random.nextInt(40);
      hull.clear();
      double[] steps = new double[lines];
      double[] intercepts = new double[lines];
      for (int i = 0; i < lines; i++) {
        steps[i] = i == 0 ? 0 : steps[i - 1] + random.nextInt(4);
        intercepts[i] = random.nextInt(400);
        hull.add(i, steps[i], intercepts[i]);
        double x = random.nextInt(60);
        double least = Double.POSITIVE_INFINITY;
        for (int k = 0; k <= i; k++) {
          least = Math.min(least, intercepts[k] - steps[k] * x);
        }
        int found = hull.least(x);
        assertThat(intercepts[found] - steps[found] * x)
            .as("seed %d, line %d, x %s", seed, i, x)
            .isCloseTo(least, within(1e-9));
      }
    }
  }
}
