package dev.reprise.graph.decode;

/**
 * Which steps are captured before they are wanted. Those with adapters are always among them if
 * there is room for any; what is left out is captured after it was wanted.
 *
 * @param penalties also the steps of requests with penalties: twice as many graphs
 * @param prompts also the steps over prompts
 */
public record WarmUpScope(boolean penalties, boolean prompts) {

  /** The decode steps of requests without penalties. */
  public static final WarmUpScope DECODE = new WarmUpScope(false, false);

  /** Everything. */
  public static final WarmUpScope ALL = new WarmUpScope(true, true);
}
