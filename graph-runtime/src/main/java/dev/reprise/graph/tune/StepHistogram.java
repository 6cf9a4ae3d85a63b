package dev.reprise.graph.tune;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
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

  private static final int FIRST_SLOTS = 64;

  // Open addressing: a trace may hold a million shapes, and a key is a row count and a position.
  private long[] shapes = new long[FIRST_SLOTS];
  private long[] counts = new long[FIRST_SLOTS];
  private int used;
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
    if (used * 2 >= shapes.length) {
      grow();
    }
    long shape = (long) rows << 32 | positions;
    int slot = slot(shape);
    if (shapes[slot] == 0) {
      shapes[slot] = shape;
      used++;
    }
    counts[slot] += count;
    total += count;
    maxRows = Math.max(maxRows, rows);
    maxPositions = Math.max(maxPositions, positions);
  }

  /** The slot that holds a shape, or the free one where it belongs; no shape is 0. */
  private int slot(long shape) {
    int mask = shapes.length - 1;
    int slot = (int) ((shape * 0x9E3779B97F4A7C15L) >>> 32) & mask;
    while (shapes[slot] != 0 && shapes[slot] != shape) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldShapes = shapes;
    long[] oldCounts = counts;
    shapes = new long[2 * oldShapes.length];
    counts = new long[2 * oldShapes.length];
    for (int i = 0; i < oldShapes.length; i++) {
      if (oldShapes[i] != 0) {
        int slot = slot(oldShapes[i]);
        shapes[slot] = oldShapes[i];
        counts[slot] = oldCounts[i];
      }
    }
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
    long[] sorted = Arrays.stream(shapes).filter(shape -> shape != 0).sorted().toArray();
    List<Entry> entries = new ArrayList<>(sorted.length);
    for (long shape : sorted) {
      entries.add(new Entry((int) (shape >>> 32), (int) shape, counts[slot(shape)]));
    }
    listed = Collections.unmodifiableList(entries);
    return listed;
  }
}
