package dev.reprise.graph.tune;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Workloads made from a seed: the same seed, rate and number of requests give the same arrivals on
 * every machine.
 */
public enum SyntheticWorkload {
  /** Requests at a constant mean rate, prompts and outputs of similar length. */
  STEADY,
  /** Quiet times and bursts at eight times the mean rate. */
  BURSTY,
  /** A constant rate, but a few outputs are very long. */
  LONG_TAIL,
  /** A rate that grows from a tenth of the mean to twice the mean. */
  RAMP;

  private static final double BURST_SHARE = 0.1;
  private static final double BURST_FACTOR = 8;

  /** The name as commands write it: lower case, words joined by a hyphen. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Arrivals of this workload.
   *
   * @param seed what the draws depend on
   * @param requests how many
   * @param perSecond mean rate
   * @param meanPrompt mean tokens of a prompt
   * @param meanOutput mean tokens of an output, about
   */
  public List<Arrival> arrivals(
      long seed, int requests, double perSecond, int meanPrompt, int meanOutput) {
    if (requests < 1 || !(perSecond > 0) || meanPrompt < 1 || meanOutput < 1) {
      throw new IllegalArgumentException(
          "A workload needs requests, a rate and lengths above 0, not %d, %s, %d, %d"
              .formatted(requests, perSecond, meanPrompt, meanOutput));
    }
    SplittableRandom random = new SplittableRandom(seed);
    List<Arrival> arrivals = new ArrayList<>(requests);
    double atMillis = 0;
    for (int i = 0; i < requests; i++) {
      double rate = perSecond * factor(random, (double) i / requests);
      atMillis += -Math.log(1 - random.nextDouble()) / rate * 1000;
      arrivals.add(
          new Arrival(atMillis, lognormal(random, meanPrompt, 0.6), output(random, meanOutput)));
    }
    return arrivals;
  }

  private double factor(SplittableRandom random, double progress) {
    return switch (this) {
      case STEADY, LONG_TAIL -> 1;
      case BURSTY -> random.nextDouble() < BURST_SHARE ? 1 / BURST_FACTOR : BURST_FACTOR;
      case RAMP -> 0.1 + 1.9 * progress;
    };
  }

  private int output(SplittableRandom random, int mean) {
    if (this != LONG_TAIL) {
      return lognormal(random, mean, 0.4);
    }
    // Pareto with exponent 1.5, whose mean is three times its least value.
    double drawn = mean / 3.0 * Math.pow(1 - random.nextDouble(), -1 / 1.5);
    return (int) Math.clamp(drawn, 1, 100.0 * mean);
  }

  /** A length whose logarithm is normally distributed, with the mean asked for. */
  private static int lognormal(SplittableRandom random, int mean, double sigma) {
    double drawn = Math.exp(Math.log(mean) - sigma * sigma / 2 + sigma * random.nextGaussian());
    return (int) Math.clamp(Math.round(drawn), 1, 100L * mean);
  }
}
