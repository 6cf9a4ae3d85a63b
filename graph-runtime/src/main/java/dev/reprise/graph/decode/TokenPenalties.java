package dev.reprise.graph.decode;

/**
 * What makes tokens less likely that a sequence has seen already.
 *
 * @param repetition divides the logits above 0, and multiplies the others, of tokens of the prompt
 *     and of generated ones; 1 is off
 * @param presence is subtracted from the logits of tokens that were generated; 0 is off
 * @param frequency is subtracted as often as the token was generated; 0 is off
 */
public record TokenPenalties(float repetition, float presence, float frequency) {

  /** No token is less likely for having been seen. */
  public static final TokenPenalties NONE = new TokenPenalties(1, 0, 0);

  /** Checks the ranges. */
  public TokenPenalties {
    if (!(repetition > 0) || Float.isInfinite(repetition)) {
      throw new IllegalArgumentException(
          "The repetition penalty must be above 0; 1 is off: " + repetition);
    }
    if (!Float.isFinite(presence)) {
      throw new IllegalArgumentException(
          "The presence penalty must be a number; 0 is off: " + presence);
    }
    if (!Float.isFinite(frequency)) {
      throw new IllegalArgumentException(
          "The frequency penalty must be a number; 0 is off: " + frequency);
    }
  }

  /** Whether they change any logit. */
  public boolean active() {
    return repetition != 1 || presence != 0 || frequency != 0;
  }
}
