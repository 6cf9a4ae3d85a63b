package dev.reprise.kernels.reference;

/** Penalties on a row of logits. */
public final class PenaltyReference {

  private PenaltyReference() {}

  /**
   * The penalized logits of one row.
   *
   * @param inPrompt which tokens are in the prompt
   * @param generated how often each token was generated
   */
  public static double[] row(
      float[] logits,
      boolean[] inPrompt,
      int[] generated,
      double repetition,
      double presence,
      double frequency) {
    double[] result = new double[logits.length];
    for (int token = 0; token < logits.length; token++) {
      double value = logits[token];
      if (inPrompt[token] || generated[token] > 0) {
        value = value > 0 ? value / repetition : value * repetition;
      }
      if (generated[token] > 0) {
        value -= presence + frequency * generated[token];
      }
      result[token] = value;
    }
    return result;
  }
}
