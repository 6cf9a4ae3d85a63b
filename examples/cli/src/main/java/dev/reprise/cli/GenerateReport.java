package dev.reprise.cli;

import java.util.List;
import java.util.Optional;

/**
 * What was generated, on what, and what it took.
 *
 * @param device the device, as its driver names it
 * @param driver the line that says which driver was chosen and why
 * @param softwareDevice whether the device is software, so that times say nothing about a GPU
 * @param model the model
 * @param seed of the random numbers that were used
 * @param output the text and its tokens
 * @param timing host times
 * @param graphs captured graphs and steps
 * @param variants how kernel variants were chosen; empty if the standard ones ran
 * @param kvBytes device bytes of the KV pool
 */
public record GenerateReport(
    String device,
    String driver,
    boolean softwareDevice,
    Model model,
    long seed,
    Output output,
    Timing timing,
    Graphs graphs,
    Optional<Variants> variants,
    long kvBytes) {

  /**
   * How kernel variants were chosen before the first step.
   *
   * @param shapes shapes of operations that have variants
   * @param kept those whose choice was kept from before
   * @param measured those that were measured; all others run the standard variant
   * @param changed those that run another variant than the standard one
   * @param problem why what was kept could not be used; empty if it could, or there was nothing
   */
  public record Variants(int shapes, long kept, long measured, long changed, String problem) {}

  /**
   * The model.
   *
   * @param name as its file gives it
   * @param parameters the number of weights
   */
  public record Model(String name, long parameters) {}

  /** Why a generation ended. */
  public enum Finish {
    /** The model ended its text. */
    STOP("stop"),
    /** The limit on tokens or the end of the context was reached. */
    LENGTH("length"),
    /** The reader of the text wanted no more. */
    CANCELLED("cancelled");

    private final String label;

    Finish(String label) {
      this.label = label;
    }

    /** The word for it in JSON. */
    public String label() {
      return label;
    }
  }

  /**
   * What was generated.
   *
   * @param promptTokens tokens of the prompt, the one that begins the text included
   * @param tokens ids of the generated tokens; the one that ends the text is not among them
   * @param text the generated text, without the prompt
   * @param finish why it ended
   */
  public record Output(int promptTokens, List<Integer> tokens, String text, Finish finish) {
    /** Takes a copy of the tokens. */
    public Output {
      tokens = List.copyOf(tokens);
    }
  }

  /**
   * Host times.
   *
   * @param ttftMillis from the start of the generation, model loading excluded, to the first token
   * @param prefillSeconds for the prompt
   * @param decodeSeconds from the first token to the end, captures included
   * @param captureSeconds the part of {@code decodeSeconds} that went into captures
   * @param decodeSteps steps in {@code decodeSeconds}; each gives one token, which may be the one
   *     that ends the text
   */
  public record Timing(
      double ttftMillis,
      double prefillSeconds,
      double decodeSeconds,
      double captureSeconds,
      int decodeSteps) {

    /** Tokens a second in decode steps, captures left out; NaN when no time was measured. */
    public double decodeTokensPerSecond() {
      return rate(decodeSteps, decodeSeconds - captureSeconds);
    }

    private static double rate(int count, double seconds) {
      return count > 0 && seconds > 0 ? count / seconds : Double.NaN;
    }
  }

  /**
   * Captured graphs and steps.
   *
   * @param captured how many graphs were captured
   * @param captureMillis host time of the captures
   * @param instantiateMillis host time of the instantiations
   * @param uploadMillis host time of the uploads
   * @param bytes device bytes that the graphs take
   * @param prefillSteps steps over the prompt, by plain launches
   * @param eagerSteps decode steps by plain launches
   * @param replays decode steps by one graph launch
   */
  public record Graphs(
      int captured,
      double captureMillis,
      double instantiateMillis,
      double uploadMillis,
      long bytes,
      long prefillSteps,
      long eagerSteps,
      long replays) {}

  /** Tokens of the prompt a second; NaN when no time was measured. */
  public double prefillTokensPerSecond() {
    return Timing.rate(output.promptTokens, timing.prefillSeconds);
  }
}
