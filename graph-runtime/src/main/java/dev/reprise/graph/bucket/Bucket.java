package dev.reprise.graph.bucket;

import dev.reprise.kernels.Attention;

/**
 * One captured size of a step.
 *
 * @param rows how many rows the step computes, live and padding together
 * @param context how many positions a sequence may have: rows at positions below it fit
 * @param splits over how many blocks attention spreads the sequence of a row; {@link #AUTO} leaves
 *     it to the model, which decides for this bucket's rows and context
 */
public record Bucket(int rows, int context, int splits) {

  /** The model decides over how many blocks attention is spread. */
  public static final int AUTO = 0;

  /** Checks that both sizes are positive, and that every split has something to do. */
  public Bucket {
    if (rows < 1 || context < 1) {
      throw new IllegalArgumentException(
          "A bucket needs at least one row and one position, not " + rows + " × " + context);
    }
    int most = Attention.segments(context);
    if (splits < 0 || splits > most) {
      throw new IllegalArgumentException(
          "Bucket %dx%d can have 1 to %d splits, one for %d positions at most, not %d"
              .formatted(rows, context, most, Attention.SEGMENT, splits));
    }
  }

  /** A bucket whose splits the model decides. */
  public Bucket(int rows, int context) {
    this(rows, context, AUTO);
  }

  /** Whether a step of {@code liveRows} rows, none at or beyond {@code positions}, fits. */
  public boolean fits(int liveRows, int positions) {
    return liveRows <= rows && positions <= context;
  }

  /** The same with other splits. */
  public Bucket withSplits(int count) {
    return new Bucket(rows, context, count);
  }

  @Override
  public String toString() {
    return rows + "x" + context + (splits == AUTO ? "" : "/" + splits);
  }
}
