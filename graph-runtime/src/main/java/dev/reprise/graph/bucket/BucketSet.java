package dev.reprise.graph.bucket;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/**
 * The buckets of a decode loop. Buckets of one row count form a band; each band has contexts of its
 * own. A step takes the narrowest band that has a bucket for it, and in it the shortest context
 * that fits. A bucket may be marked as eager: steps that fall into it are run by plain launches,
 * because a tuner found that replaying them does not pay.
 *
 * <p>Immutable, safe for any thread; a lookup allocates nothing.
 */
public final class BucketSet {

  private record Cell(Bucket bucket, boolean eager) {}

  /** The buckets of one row count, by context. */
  private record Band(int[] contexts, List<Bucket> buckets, List<Optional<Bucket>> answers) {

    static Band of(SortedMap<Integer, Cell> byContext) {
      List<Bucket> buckets = new ArrayList<>();
      List<Optional<Bucket>> answers = new ArrayList<>();
      for (Cell cell : byContext.values()) {
        buckets.add(cell.bucket);
        answers.add(cell.eager ? Optional.empty() : Optional.of(cell.bucket));
      }
      int[] contexts = buckets.stream().mapToInt(Bucket::context).toArray();
      return new Band(contexts, buckets, answers);
    }

    boolean eager(int index) {
      return answers.get(index).isEmpty();
    }
  }

  private final int[] rows;
  private final Band[] bands;

  private BucketSet(SortedMap<Integer, SortedMap<Integer, Cell>> cells) {
    this.rows = cells.keySet().stream().mapToInt(Integer::intValue).toArray();
    this.bands = cells.values().stream().map(Band::of).toArray(Band[]::new);
  }

  /**
   * The buckets {@code rows} × {@code contexts}; order and repetitions do not matter.
   *
   * @throws IllegalArgumentException if a list is empty or holds a size below 1
   */
  public static BucketSet of(List<Integer> rows, List<Integer> contexts) {
    List<Bucket> all = new ArrayList<>();
    for (int row : sizes("row count", rows)) {
      for (int context : sizes("context", contexts)) {
        all.add(new Bucket(row, context));
      }
    }
    return of(all, List.of());
  }

  /**
   * A set of any shape.
   *
   * @param replayed buckets that are captured and replayed
   * @param eager buckets whose steps run by plain launches
   * @throws IllegalArgumentException if there is no bucket at all, one is both, or one is listed
   *     with different splits
   */
  public static BucketSet of(Collection<Bucket> replayed, Collection<Bucket> eager) {
    SortedMap<Integer, SortedMap<Integer, Cell>> cells = new TreeMap<>();
    add(cells, replayed, false);
    add(cells, eager, true);
    if (cells.isEmpty()) {
      throw new IllegalArgumentException("A bucket set needs at least one bucket");
    }
    return new BucketSet(cells);
  }

  /**
   * The same buckets with other splits.
   *
   * @param splits of a bucket; {@link Bucket#AUTO} leaves it to the model
   */
  public BucketSet withSplits(ToIntFunction<Bucket> splits) {
    UnaryOperator<Bucket> split = bucket -> bucket.withSplits(splits.applyAsInt(bucket));
    return of(largestFirst().stream().map(split).toList(), eager().stream().map(split).toList());
  }

  private static void add(
      SortedMap<Integer, SortedMap<Integer, Cell>> cells,
      Collection<Bucket> buckets,
      boolean eager) {
    for (Bucket bucket : buckets) {
      Cell before =
          cells
              .computeIfAbsent(bucket.rows(), key -> new TreeMap<>())
              .put(bucket.context(), new Cell(bucket, eager));
      if (before != null && before.eager != eager) {
        throw new IllegalArgumentException(
            "Bucket " + bucket + " is listed both as replayed and as eager");
      }
      if (before != null && !before.bucket.equals(bucket)) {
        throw new IllegalArgumentException(
            "Bucket %dx%d is listed with %d splits and with %d"
                .formatted(
                    bucket.rows(), bucket.context(), before.bucket.splits(), bucket.splits()));
      }
    }
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
   * @return empty when the step fits no bucket, or fits one that is marked as eager
   */
  public Optional<Bucket> smallest(int liveRows, int positions) {
    for (int r = firstAtLeast(rows, liveRows); r < rows.length; r++) {
      Band band = bands[r];
      int c = firstAtLeast(band.contexts, positions);
      if (c < band.contexts.length) {
        return band.answers.get(c);
      }
    }
    return Optional.empty();
  }

  /**
   * The bucket that a step falls into, replayed or eager: {@link #smallest} gives the same answer
   * for as many rows up to its context.
   *
   * @return empty when the step fits no bucket
   */
  public Optional<Bucket> cell(int liveRows, int positions) {
    for (int r = firstAtLeast(rows, liveRows); r < rows.length; r++) {
      Band band = bands[r];
      int c = firstAtLeast(band.contexts, positions);
      if (c < band.contexts.length) {
        return Optional.of(band.buckets.get(c));
      }
    }
    return Optional.empty();
  }

  /** All contexts of all bands, the shortest first. */
  public List<Integer> contexts() {
    return Arrays.stream(bands)
        .flatMapToInt(band -> Arrays.stream(band.contexts))
        .distinct()
        .sorted()
        .boxed()
        .toList();
  }

  private static int firstAtLeast(int[] sizes, int wanted) {
    int at = Arrays.binarySearch(sizes, wanted);
    return at >= 0 ? at : -at - 1;
  }

  /** The largest row count. */
  public int maxRows() {
    return rows[rows.length - 1];
  }

  /** The longest context of any bucket. */
  public int maxContext() {
    int longest = 0;
    for (Band band : bands) {
      longest = Math.max(longest, band.contexts[band.contexts.length - 1]);
    }
    return longest;
  }

  /**
   * The buckets that are captured, largest first: the order in which they are to be captured under
   * a budget.
   */
  public List<Bucket> largestFirst() {
    return listed(false);
  }

  /** The buckets marked as eager, largest first. */
  public List<Bucket> eager() {
    return listed(true);
  }

  private List<Bucket> listed(boolean eager) {
    List<Bucket> listed = new ArrayList<>();
    for (Band band : bands) {
      for (int i = 0; i < band.contexts.length; i++) {
        if (band.eager(i) == eager) {
          listed.add(band.buckets.get(i));
        }
      }
    }
    Collections.reverse(listed);
    return Collections.unmodifiableList(listed);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.length; r++) {
      text.append(r == 0 ? "" : ", ").append(rows[r]).append(" rows ×");
      Band band = bands[r];
      for (int c = 0; c < band.contexts.length; c++) {
        int splits = band.buckets.get(c).splits();
        text.append(' ')
            .append(band.contexts[c])
            .append(splits == Bucket.AUTO ? "" : "/" + splits)
            .append(band.eager(c) ? " (eager)" : "");
      }
    }
    return text.toString();
  }
}
