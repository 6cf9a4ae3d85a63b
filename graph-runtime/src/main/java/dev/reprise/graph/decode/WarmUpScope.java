package dev.reprise.graph.decode;

/**
 * Which steps are captured before they are wanted. Those with adapters are always among them if
 * there is room for any; what is left out is captured after it was wanted.
 *
 * @param penalties also the steps of requests with penalties: twice as many graphs
 * @param prompts also the steps over prompts of which one ends at most
 * @param packedPrompts also the steps over prompts in which several end: as many graphs more for
 *     each size of such a step as the rows of the largest bucket have powers of two
 */
public record WarmUpScope(boolean penalties, boolean prompts, boolean packedPrompts) {

  /** Checks that packed prompts come with single ones. */
  public WarmUpScope {
    if (packedPrompts && !prompts) {
      throw new IllegalArgumentException(
          "A warm-up of steps in which several prompts end needs those of single prompts too");
    }
  }

  /** Without steps in which several prompts end. */
  public WarmUpScope(boolean penalties, boolean prompts) {
    this(penalties, prompts, false);
  }

  /** The decode steps of requests without penalties. */
  public static final WarmUpScope DECODE = new WarmUpScope(false, false);

  /** Everything. */
  public static final WarmUpScope ALL = new WarmUpScope(true, true, true);
}
