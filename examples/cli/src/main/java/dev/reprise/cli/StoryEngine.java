package dev.reprise.cli;

/** Writes text with a model: all that the generate command needs of the runtime. */
@FunctionalInterface
public interface StoryEngine {

  /** Takes the text while it is being generated. */
  @FunctionalInterface
  interface TextSink {
    /**
     * @param piece the next characters; may be empty
     * @return whether to go on; when false, the generation ends as {@link
     *     GenerateReport.Finish#CANCELLED}
     */
    boolean text(String piece);
  }

  /**
   * Chooses the driver, loads the model, and generates. Called once in a process.
   *
   * @param options valid options
   * @param sink is given the generated text, without the prompt, on the calling thread
   * @return what was generated and what it took
   * @throws RuntimeException when it fails, with a message for the user: what failed, and what to
   *     do
   */
  GenerateReport generate(GenerateOptions options, TextSink sink);
}
