package dev.reprise.cli;

import dev.reprise.graph.bucket.BucketPolicy;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the user wants generated. Valid once it exists: what is wrong gives an {@link
 * IllegalArgumentException} that names the flag, the value and what would do.
 *
 * @param model a GGUF file; empty for the embedded story model
 * @param adapter a file with a low-rank adapter for the model; empty for none
 * @param prompt the text to go on from; may be empty
 * @param maxTokens the most tokens to generate, 1 or more
 * @param sampling how tokens are chosen
 * @param eager whether decode steps run by plain launches instead of captured graphs
 * @param buckets how the buckets are chosen; empty for one row and contexts that grow fourfold
 * @param kernels the folder with choices of kernel variants; empty to run the standard ones
 * @param driver {@code auto}, {@code cuda}, {@code software}, or the path of a driver library;
 *     empty for what the property and the environment say
 */
public record GenerateOptions(
    Optional<Path> model,
    Optional<Path> adapter,
    String prompt,
    int maxTokens,
    Sampling sampling,
    boolean eager,
    Optional<BucketPolicy> buckets,
    Optional<Path> kernels,
    Optional<String> driver) {

  /**
   * How tokens are chosen.
   *
   * @param temperature 0 takes the likeliest token; otherwise logits are divided by it
   * @param topK how many of the likeliest tokens are kept; 0 keeps all
   * @param topP the probability mass that is kept, likeliest first; 1 keeps all
   * @param minP the least probability that is kept, relative to the likeliest; 0 keeps all
   * @param seed of the random numbers
   * @param penalties what makes tokens less likely that were there already
   */
  public record Sampling(
      float temperature, int topK, float topP, float minP, long seed, Penalties penalties) {
    /** Checks the ranges; NaN fails every one. */
    public Sampling {
      check(
          temperature >= 0 && temperature <= Float.MAX_VALUE,
          "--temperature must be 0 (the likeliest token) or more, such as 0.7",
          temperature);
      check(topK >= 0, "--top-k must be 0 (off) or more, such as 40", topK);
      check(
          topP > 0 && topP <= 1, "--top-p must be above 0 and at most 1 (off), such as 0.95", topP);
      check(minP >= 0 && minP <= 1, "--min-p must be between 0 (off) and 1, such as 0.05", minP);
    }

    /** Whether the likeliest token is always taken, so that the other settings have no effect. */
    public boolean isGreedy() {
      return temperature == 0;
    }

    /** Whether a setting is on that chooses among tokens. */
    public boolean hasFilters() {
      return topK > 0 || topP < 1 || minP > 0;
    }
  }

  /**
   * What makes tokens less likely that were there already.
   *
   * @param repetition divides the logits above 0 of tokens in prompt and text, and multiplies the
   *     others; 1 is off
   * @param presence is subtracted from the logits of tokens in the text; 0 is off
   * @param frequency is subtracted for each time that the token is in the text; 0 is off
   */
  public record Penalties(float repetition, float presence, float frequency) {

    /** All off. */
    public static final Penalties NONE = new Penalties(1, 0, 0);

    /** Checks the ranges; NaN fails every one. */
    public Penalties {
      check(
          repetition > 0 && repetition <= Float.MAX_VALUE,
          "--repetition-penalty must be above 0; 1 is off, 1.1 is usual",
          repetition);
      check(
          Float.isFinite(presence),
          "--presence-penalty must be a number; 0 is off, 0.5 is usual",
          presence);
      check(
          Float.isFinite(frequency),
          "--frequency-penalty must be a number; 0 is off, 0.5 is usual",
          frequency);
    }
  }

  /** Checks the number of tokens, and the driver as far as it can be done without loading it. */
  public GenerateOptions {
    check(maxTokens >= 1, "--max-tokens must be 1 or more, such as 256", maxTokens);
    driver.ifPresent(DriverChoice::check);
  }

  private static void check(boolean valid, String rule, Object value) {
    if (!valid) {
      throw new IllegalArgumentException(rule + "; it is " + value);
    }
  }
}
