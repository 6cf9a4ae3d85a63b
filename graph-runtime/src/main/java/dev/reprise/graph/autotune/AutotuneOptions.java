package dev.reprise.graph.autotune;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Bounds of a warm-up.
 *
 * @param folder where choices are kept; empty to keep none
 * @param budget the time after which shapes that are not measured yet take their standard variant;
 *     the one at hand gets no further round
 * @param rounds how often each variant of a shape is timed at most; the median counts
 * @param leastGain the share of the standard variant's time that another must save to be chosen
 * @param maxBytes the most device memory for the operands of one shape
 */
public record AutotuneOptions(
    Optional<Path> folder, Duration budget, int rounds, double leastGain, long maxBytes) {

  /** Checks the numbers. */
  public AutotuneOptions {
    if (rounds < 1 || rounds > 1000) {
      throw new IllegalArgumentException("A warm-up takes 1 to 1000 rounds, not " + rounds);
    }
    if (!(leastGain >= 0 && leastGain < 1)) {
      throw new IllegalArgumentException("A least gain is from 0 to below 1, not " + leastGain);
    }
    if (budget.isNegative()) {
      throw new IllegalArgumentException("A budget of time is not negative: " + budget);
    }
    if (maxBytes < 1) {
      throw new IllegalArgumentException("Operands need memory: " + maxBytes);
    }
  }

  /** Half a minute, nine rounds, a gain of 3% or more, 1 GiB; nothing is kept. */
  public static AutotuneOptions standard() {
    return new AutotuneOptions(Optional.empty(), Duration.ofSeconds(30), 9, 0.03, 1L << 30);
  }

  /** The standard, with choices kept in a folder. */
  public static AutotuneOptions cachedIn(Path folder) {
    return standard().withFolder(folder);
  }

  /** The same with choices kept in a folder. */
  public AutotuneOptions withFolder(Path where) {
    return new AutotuneOptions(Optional.of(where), budget, rounds, leastGain, maxBytes);
  }

  /** The same with another budget of time. */
  public AutotuneOptions withBudget(Duration time) {
    return new AutotuneOptions(folder, time, rounds, leastGain, maxBytes);
  }

  /** The same with other rounds. */
  public AutotuneOptions withRounds(int count) {
    return new AutotuneOptions(folder, budget, count, leastGain, maxBytes);
  }
}
