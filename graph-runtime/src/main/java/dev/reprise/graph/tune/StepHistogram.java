package dev.reprise.graph.tune;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How many decode steps of a workload had which shape. Not safe for several threads while steps are
 * added.
 */
public final class StepHistogram {

  /**
   * Steps of one shape.
   *
   * @param rows live rows of each step
   * @param positions one more than the highest position of any row
   * @param steps how many there were
   */
  public record Entry(int rows, int positions, long steps) {}

  private static final int FEWEST = 1 << 12;
  private static final int MOST = 1 << 22;

  // A trace may hold a million shapes in any order. So steps are written down as they come, a word
  // each, and sorted into the shapes before them when there are as many.
  private static final int COUNT_BITS = 20;
  private static final int POSITION_BITS = 24;
  private static final int ROW_BITS = 19;

  private long[] recent = new long[FEWEST];
  private int recentCount;

  /** Shapes in order, each rows above positions, and how many steps they have. */
  private long[] shapes = new long[0];

  private long[] counts = new long[0];
  private int distinct;

  /** What a word has no room for, by shape. */
  private final TreeMap<Long, Long> large = new TreeMap<>();

  private long total;
  private int maxRows;
  private int maxPositions;

  /** The answer to {@link #entries} until the next step is added. */
  private @Nullable List<Entry> listed;

  /** Counts one step. */
  public void add(int rows, int positions) {
    add(rows, positions, 1);
  }

  /**
   * Counts steps of one shape.
   *
   * @throws IllegalArgumentException if a number is below 1
   */
  public void add(int rows, int positions, long count) {
    if (rows < 1 || positions < 1 || count < 1) {
      throw new IllegalArgumentException(
          "Steps need at least 1 row, 1 position and a count of 1, not %d rows, %d positions, %d steps"
              .formatted(rows, positions, count));
    }
    listed = null;
    if (rows >> ROW_BITS == 0 && positions >> POSITION_BITS == 0 && count >> COUNT_BITS == 0) {
      if (recentCount == recent.length) {
        sortIn();
      }
      recent[recentCount++] = ((long) rows << POSITION_BITS | positions) << COUNT_BITS | count;
    } else {
      large.merge((long) rows << Integer.SIZE | positions, count, Long::sum);
    }
    total += count;
    maxRows = Math.max(maxRows, rows);
    maxPositions = Math.max(maxPositions, positions);
  }

  /** Sorts the recent steps and merges them with the shapes before. */
  private void sortIn() {
    Arrays.sort(recent, 0, recentCount);
    long[] mergedShapes = new long[distinct + recentCount];
    long[] mergedCounts = new long[distinct + recentCount];
    int size = 0;
    int old = 0;
    for (int i = 0; i < recentCount; i++) {
      long shape = shape(recent[i]);
      while (old < distinct && shapes[old] < shape) {
        mergedShapes[size] = shapes[old];
        mergedCounts[size++] = counts[old++];
      }
      if (old < distinct && shapes[old] == shape) {
        mergedShapes[size] = shape;
        mergedCounts[size++] = counts[old++];
      } else if (size == 0 || mergedShapes[size - 1] != shape) {
        mergedShapes[size++] = shape;
      }
      mergedCounts[size - 1] += recent[i] & (1L << COUNT_BITS) - 1;
    }
    System.arraycopy(shapes, old, mergedShapes, size, distinct - old);
    System.arraycopy(counts, old, mergedCounts, size, distinct - old);
    distinct += size - old;
    shapes = mergedShapes;
    counts = mergedCounts;
    recentCount = 0;
    recent = distinct > recent.length ? new long[Math.min(distinct, MOST)] : recent;
  }

  private static long shape(long word) {
    long positions = word >>> COUNT_BITS & (1L << POSITION_BITS) - 1;
    return word >>> COUNT_BITS + POSITION_BITS << Integer.SIZE | positions;
  }

  /** All steps. */
  public long steps() {
    return total;
  }

  /** The most rows of any step; 0 when empty. */
  public int maxRows() {
    return maxRows;
  }

  /** The most positions of any step; 0 when empty. */
  public int maxPositions() {
    return maxPositions;
  }

  /** The shapes seen, by rows and then positions. */
  public List<Entry> entries() {
    if (listed != null) {
      return listed;
    }
    sortIn();
    List<Entry> entries = new ArrayList<>(distinct);
    for (int i = 0; i < distinct; i++) {
      Long more = large.isEmpty() ? null : large.get(shapes[i]);
      entries.add(entry(shapes[i], counts[i] + (more == null ? 0 : more)));
    }
    if (!large.isEmpty()) {
      large.forEach((shape, count) -> {
        if (Arrays.binarySearch(shapes, 0, distinct, shape) < 0) {
          entries.add(entry(shape, count));
        }
      });
      entries.sort(Comparator.comparingInt(Entry::rows).thenComparingInt(Entry::positions));
    }
    listed = Collections.unmodifiableList(entries);
    return listed;
  }

  private static Entry entry(long shape, long count) {
    return new Entry((int) (shape >>> Integer.SIZE), (int) shape, count);
  }
}
