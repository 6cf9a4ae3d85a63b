package dev.reprise.graph.decode;

/**
 * How a token is chosen from the logits of a row.
 *
 * @param temperature 0 takes the largest logit; otherwise logits are divided by it
 * @param topK how many of the largest logits are kept; 0 keeps all
 * @param topP the probability mass that is kept, largest first; 1 keeps all
 * @param minP the least probability kept, relative to the largest; 0 keeps all
 * @param seed of the random numbers; the same seed, prompt and parameters give the same tokens
 * @param penalties on tokens that the sequence has seen, before everything else
 */
public record SamplingParameters(
    float temperature, int topK, float topP, float minP, long seed, TokenPenalties penalties) {

  /** Checks the ranges. */
  public SamplingParameters {
    if (!(temperature >= 0) || Float.isInfinite(temperature)) {
      throw new IllegalArgumentException("The temperature must be 0 or more: " + temperature);
    }
    if (topK < 0) {
      throw new IllegalArgumentException("top-k must be 0 (off) or more: " + topK);
    }
    if (!(topP > 0 && topP <= 1)) {
      throw new IllegalArgumentException("top-p must be above 0 and at most 1 (off): " + topP);
    }
    if (!(minP >= 0 && minP <= 1)) {
      throw new IllegalArgumentException("min-p must be between 0 (off) and 1: " + minP);
    }
  }

  /** Without penalties. */
  public SamplingParameters(float temperature, int topK, float topP, float minP, long seed) {
    this(temperature, topK, topP, minP, seed, TokenPenalties.NONE);
  }

  /** The same with other penalties. */
  public SamplingParameters withPenalties(TokenPenalties other) {
    return new SamplingParameters(temperature, topK, topP, minP, seed, other);
  }

  /** Takes the largest logit. */
  public static SamplingParameters greedy() {
    return new SamplingParameters(0, 0, 1, 0, 0);
  }
}
