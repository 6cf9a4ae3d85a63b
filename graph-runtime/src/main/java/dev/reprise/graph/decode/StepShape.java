package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.Bucket;

/**
 * The sizes that the launches of a step are prepared for.
 *
 * @param bucket rows and context
 * @param logitRows rows whose logits are computed and sampled; 0 while a prompt goes on
 * @param penalized whether logits are penalized before they are sampled
 * @param adapted whether rows may have adapters
 * @param prefill whether it is a step over prompts, whose inputs the host writes anew each time
 */
public record StepShape(
    Bucket bucket, int logitRows, boolean penalized, boolean adapted, boolean prefill) {

  /** Checks that there are no more logits rows than rows. */
  public StepShape {
    if (logitRows < 0 || logitRows > bucket.rows()) {
      throw new IllegalArgumentException(
          "A step of %d rows cannot have %d logits rows".formatted(bucket.rows(), logitRows));
    }
  }

  /** Of a decode step. */
  public StepShape(Bucket bucket, int logitRows, boolean penalized, boolean adapted) {
    this(bucket, logitRows, penalized, adapted, false);
  }

  /** Of a decode step without penalties and adapters. */
  public StepShape(Bucket bucket, int logitRows) {
    this(bucket, logitRows, false, false);
  }

  /** The same as a step over prompts. */
  public StepShape ofPrompts() {
    return new StepShape(bucket, logitRows, penalized, adapted, true);
  }
}
