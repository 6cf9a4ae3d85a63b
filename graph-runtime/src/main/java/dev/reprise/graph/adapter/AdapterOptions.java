package dev.reprise.graph.adapter;

/**
 * Room for adapters.
 *
 * @param slots how many can be loaded at a time; 0 for none
 * @param maxRank the largest rank
 */
public record AdapterOptions(int slots, int maxRank) {

  /** No adapters, and no memory for them. */
  public static final AdapterOptions NONE = new AdapterOptions(0, 1);

  /** Checks the numbers. */
  public AdapterOptions {
    if (slots < 0) {
      throw new IllegalArgumentException("There are 0 (none) or more adapter slots: " + slots);
    }
    if (maxRank < 1) {
      throw new IllegalArgumentException("The largest rank is 1 or more: " + maxRank);
    }
  }
}
