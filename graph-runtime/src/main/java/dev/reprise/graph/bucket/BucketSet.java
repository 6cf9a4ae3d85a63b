package dev.reprise.graph.bucket;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The buckets of a decode loop: every pairing of a list of row counts with a list of contexts.
 *
 * <p>Immutable, safe for any thread.
 */
public final class BucketSet {

  private final int[] rows;
  private final int[] contexts;
  private final Bucket[][] buckets;

  private BucketSet(int[] rows, int[] contexts) {
    this.rows = rows;
    this.contexts = contexts;
    this.buckets = new Bucket[rows.length][contexts.length];
    for (int r = 0; r < rows.length; r++) {
      for (int c = 0; c < contexts.length; c++) {
        buckets[r][c] = new Bucket(rows[r], contexts[c]);
      }
    }
  }

  /**
   * The buckets {@code rows} × {@code contexts}; order and repetitions do not matter.
   *
   * @throws IllegalArgumentException if a list is empty or holds a size below 1
   */
  public static BucketSet of(List<Integer> rows, List<Integer> contexts) {
    return new BucketSet(sizes("row count", rows), sizes("context", contexts));
  }

  private static int[] sizes(String what, List<Integer> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("A bucket set needs at least one " + what);
    }
    for (int value : values) {
      if (value < 1) {
        throw new IllegalArgumentException("A bucket's " + what + " must be at least 1: " + value);
      }
    }
    return new TreeSet<>(values).stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * The smallest bucket that fits, fewest rows first and then the shortest context.
   *
   * @param liveRows rows of the step
   * @param positions one more than the highest position of any row
   * @return empty when the step has more rows or positions than the largest bucket
   */
  public Optional<Bucket> smallest(int liveRows, int positions) {
    int r = firstAtLeast(rows, liveRows);
    int c = firstAtLeast(contexts, positions);
    return r < 0 || c < 0 ? Optional.empty() : Optional.of(buckets[r][c]);
  }

  private static int firstAtLeast(int[] sizes, int wanted) {
    int at = Arrays.binarySearch(sizes, wanted);
    int index = at >= 0 ? at : -at - 1;
    return index < sizes.length ? index : -1;
  }

  /** The largest row count. */
  public int maxRows() {
    return rows[rows.length - 1];
  }

  /** The longest context. */
  public int maxContext() {
    return contexts[contexts.length - 1];
  }

  /** All buckets, largest first: the order in which they are to be captured under a budget. */
  public List<Bucket> largestFirst() {
    List<Bucket> all = new java.util.ArrayList<>();
    for (Bucket[] row : buckets) {
      Collections.addAll(all, row);
    }
    Collections.reverse(all);
    return Collections.unmodifiableList(all);
  }

  @Override
  public String toString() {
    return Arrays.toString(rows) + " rows × " + Arrays.toString(contexts) + " positions";
  }
}
