package dev.reprise.graph.model;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Amdahl's bound for a step from the times of its parts: what does not get faster bounds what the
 * whole can gain (Amdahl, AFIPS 1967).
 */
public final class AmdahlBound {

  private final Map<String, Double> parts;
  private final double total;

  /**
   * From the parts' times in one unit.
   *
   * @throws IllegalArgumentException if there is none, a time is negative or not finite, or all are
   *     0
   */
  public AmdahlBound(Map<String, Double> parts) {
    this.parts = new LinkedHashMap<>(parts);
    double sum = 0;
    for (Map.Entry<String, Double> part : parts.entrySet()) {
      if (!(part.getValue() >= 0 && part.getValue() < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "the time of %s must be finite and not negative: %s"
                .formatted(part.getKey(), part.getValue()));
      }
      sum += part.getValue();
    }
    if (!(sum > 0)) {
      throw new IllegalArgumentException("the parts of a step must take some time together");
    }
    this.total = sum;
  }

  /** Time of the whole. */
  public double total() {
    return total;
  }

  /** Time of a part. */
  public double time(String part) {
    Double time = parts.get(part);
    if (time == null) {
      throw new IllegalArgumentException(
          "there is no part \"%s\"; the parts are %s"
              .formatted(part, String.join(", ", parts.keySet())));
    }
    return time;
  }

  /** Share of a part, 0 to 1. */
  public double share(String part) {
    return time(part) / total;
  }

  /** How much faster the whole can be at most, however fast a part gets; infinite if it is all. */
  public double bound(String part) {
    return total / (total - time(part));
  }

  /**
   * How much faster the whole is when parts are.
   *
   * @param factors by part, above 0; infinite for a part that takes no time any more
   */
  public double speedup(Map<String, Double> factors) {
    double left = total;
    for (Map.Entry<String, Double> factor : factors.entrySet()) {
      if (!(factor.getValue() > 0)) {
        throw new IllegalArgumentException(
            "%s must get faster by a factor above 0: %s"
                .formatted(factor.getKey(), factor.getValue()));
      }
      left += time(factor.getKey()) * (1 / factor.getValue() - 1);
    }
    return total / Math.max(0, left);
  }
}
