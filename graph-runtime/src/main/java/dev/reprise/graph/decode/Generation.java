package dev.reprise.graph.decode;

/**
 * What a generation gave and how long it took.
 *
 * @param promptTokens tokens of the prompt
 * @param tokens the generated tokens; a stop token ends the generation and is not among them
 * @param finish why it ended
 * @param prefillNanos host time from the start to the first sampled token
 * @param decodeNanos host time from the first sampled token to the end, captures included
 * @param captureNanos the part of it that captures took: capture, instantiation and upload
 * @param decodeSteps steps after the prefill, the one that sampled a stop token included
 */
public record Generation(
    int promptTokens,
    int[] tokens,
    FinishReason finish,
    long prefillNanos,
    long decodeNanos,
    long captureNanos,
    int decodeSteps) {

  /** Why a generation ended. */
  public enum FinishReason {
    /** A stop token was sampled. */
    STOP,
    /** The limit on tokens or the end of the context was reached. */
    LENGTH,
    /** The listener asked to end. */
    CANCELLED
  }
}
