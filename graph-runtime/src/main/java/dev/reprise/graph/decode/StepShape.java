package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.Bucket;

/**
 * The sizes that the launches of a step are prepared for.
 *
 * @param bucket rows and context
 * @param logitRows rows whose logits are computed and sampled; 0 while a prompt goes on
 */
public record StepShape(Bucket bucket, int logitRows) {

  /** Checks that there are no more logits rows than rows. */
  public StepShape {
    if (logitRows < 0 || logitRows > bucket.rows()) {
      throw new IllegalArgumentException(
          "A step of %d rows cannot have %d logits rows".formatted(bucket.rows(), logitRows));
    }
  }
}
