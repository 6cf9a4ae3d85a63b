package dev.reprise.llama;

import java.io.InputStream;

/**
 * The expected values of the embedded model, computed in float64 by another program: with them a
 * device is checked end to end.
 *
 * <p>A JSON object; {@code cases} (six prompts) and {@code ending} (a nearly finished story) each
 * have {@code prompt}, {@code prompt_ids}, {@code continuation_ids} (greedy, up to 64 tokens, the
 * stop token included) and {@code top5}: for each step the five largest logits as {@code [token,
 * logit]}, largest first. The README of {@code tiny-model} describes all of it.
 */
public final class GoldenValues {

  private static final String RESOURCE = "golden.json";

  private GoldenValues() {}

  /** The JSON text, in UTF-8. */
  public static InputStream open() {
    InputStream in = GoldenValues.class.getResourceAsStream(RESOURCE);
    if (in == null) {
      throw new IllegalStateException("The jar of the model lacks " + RESOURCE + ".");
    }
    return in;
  }
}
