package dev.reprise.graph.decode;

/**
 * What prompts and their continuations may be. Any thread.
 *
 * @param maxContext positions that a sequence can have
 * @param vocabulary number of tokens
 */
record PromptLimits(int maxContext, int vocabulary) {

  static PromptLimits of(ModelInfo model, DecodeOptions options) {
    return new PromptLimits(
        Math.min(model.maxContext(), options.buckets().maxContext()), model.vocabulary());
  }

  /** The most tokens of both together: the last one has no position itself. */
  int maxLength(int promptLength, int maxTokens) {
    return (int) Math.min((long) promptLength + maxTokens, maxContext + 1L);
  }

  /**
   * Refuses a prompt that cannot be continued.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  void check(int[] prompt) {
    if (prompt.length == 0) {
      throw new IllegalArgumentException("The prompt has no tokens");
    }
    if (prompt.length >= maxContext) {
      throw new IllegalArgumentException(
          "The prompt has %d tokens; the context of %d leaves room for at most %d"
              .formatted(prompt.length, maxContext, maxContext - 1));
    }
    for (int token : prompt) {
      if (token < 0 || token >= vocabulary) {
        throw new IllegalArgumentException(
            "Token %d is outside the vocabulary of %d".formatted(token, vocabulary));
      }
    }
  }
}
