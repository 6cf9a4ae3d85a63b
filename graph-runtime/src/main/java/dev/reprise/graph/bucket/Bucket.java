package dev.reprise.graph.bucket;

/**
 * One captured size of a step.
 *
 * @param rows how many rows the step computes, live and padding together
 * @param context how many positions a sequence may have: rows at positions below it fit
 */
public record Bucket(int rows, int context) {

  /** Checks that both sizes are positive. */
  public Bucket {
    if (rows < 1 || context < 1) {
      throw new IllegalArgumentException(
          "A bucket needs at least one row and one position, not " + rows + " × " + context);
    }
  }

  /** Whether a step of {@code liveRows} rows, none at or beyond {@code positions}, fits. */
  public boolean fits(int liveRows, int positions) {
    return liveRows <= rows && positions <= context;
  }

  @Override
  public String toString() {
    return rows + "x" + context;
  }
}
