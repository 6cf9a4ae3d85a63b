package dev.reprise.kernels.reference;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Sampling of one row of logits, by sorting. */
public final class SamplingReference {

  private SamplingReference() {}

  /**
   * Parameters of a row.
   *
   * @param temperature greedy when not above 0
   * @param topK off when not above 0
   * @param topP off when not below 1
   * @param minP off when not above 0
   */
  public record Parameters(float temperature, int topK, float topP, float minP) {}

  /**
   * A token with its probability.
   *
   * @param token its index
   * @param probability its share of what was kept
   */
  public record Candidate(int token, double probability) {}

  /**
   * What is left after the filters.
   *
   * @param candidates by falling logit, then by index
   * @param margin how far, in probability, the closest decision of a filter was from going the
   *     other way
   */
  public record Filtered(List<Candidate> candidates, double margin) {}

  /**
   * A drawn token.
   *
   * @param token its index, -1 when all logits are NaN
   * @param margin how far, in probability, the closest decision was from going the other way
   */
  public record Choice(int token, double margin) {}

  /** Lowest index of the largest logit; NaN never wins; -1 when all are NaN. */
  public static int argmax(float[] logits) {
    int best = -1;
    for (int i = 0; i < logits.length; i++) {
      if (!Float.isNaN(logits[i]) && (best < 0 || logits[i] > logits[best])) {
        best = i;
      }
    }
    return best;
  }

  /** Temperature, then top-k, then top-p, then min-p; at a temperature above 0. */
  public static Filtered filter(float[] logits, Parameters parameters) {
    int best = argmax(logits);
    double[] mass = new double[logits.length];
    for (int i = 0; i < logits.length; i++) {
      mass[i] =
          logits[i] == logits[best]
              ? 1
              : Math.exp(((double) logits[i] - logits[best]) / parameters.temperature());
    }
    List<Integer> order =
        IntStream.range(0, logits.length)
            .filter(i -> !Float.isNaN(logits[i]))
            .boxed()
            .sorted(
                Comparator.<Integer>comparingDouble(i -> -(logits[i] + 0.0))
                    .thenComparingInt(i -> i))
            .toList();
    double margin = Double.POSITIVE_INFINITY;
    if (parameters.topK() > 0 && parameters.topK() < order.size()) {
      order = order.subList(0, parameters.topK());
    }
    if (parameters.topP() < 1) {
      double total = order.stream().mapToDouble(i -> mass[i]).sum();
      double sum = 0;
      int count = 0;
      while (count < order.size()) {
        sum += mass[order.get(count++)] / total;
        margin = Math.min(margin, Math.abs(sum - Math.max(parameters.topP(), 0)));
        if (sum >= parameters.topP()) {
          break;
        }
      }
      order = order.subList(0, count);
    }
    if (parameters.minP() > 0) {
      double least = Math.min(parameters.minP(), 1);
      for (int i : order) {
        if (mass[i] < 1) {
          margin = Math.min(margin, Math.abs(mass[i] - least));
        }
      }
      order = order.stream().filter(i -> mass[i] >= least).toList();
    }
    double kept = order.stream().mapToDouble(i -> mass[i]).sum();
    return new Filtered(order.stream().map(i -> new Candidate(i, mass[i] / kept)).toList(), margin);
  }

  /** Filters and draws. */
  public static Choice sample(float[] logits, Parameters parameters, long seed, int position) {
    int best = argmax(logits);
    if (best < 0 || !(parameters.temperature() > 0)) {
      return new Choice(best, Double.POSITIVE_INFINITY);
    }
    Filtered filtered = filter(logits, parameters);
    double u = unit(Philox.draw(seed, position));
    double margin = filtered.margin();
    double sum = 0;
    int token = -1;
    List<Candidate> byIndex =
        filtered.candidates().stream().sorted(Comparator.comparingInt(Candidate::token)).toList();
    for (Candidate candidate : byIndex) {
      if (token < 0) {
        token = candidate.token();
        sum += candidate.probability();
        if (u >= sum) {
          margin = Math.min(margin, u - sum);
          token = -1;
        } else {
          margin = Math.min(margin, sum - u);
        }
      }
    }
    return new Choice(token, margin);
  }

  /** 64 bits as a number from 0 up to but not including 1. */
  private static double unit(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }
}
