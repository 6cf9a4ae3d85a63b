package dev.reprise.graph.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

  private record Shape(int rows, int positions) {}

  private final Map<Shape, long[]> steps = new HashMap<>();
  private long total;
  private int maxRows;
  private int maxPositions;

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
    steps.computeIfAbsent(new Shape(rows, positions), shape -> new long[1])[0] += count;
    total += count;
    maxRows = Math.max(maxRows, rows);
    maxPositions = Math.max(maxPositions, positions);
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
    List<Entry> entries = new ArrayList<>(steps.size());
    steps.forEach((shape, count) -> entries.add(new Entry(shape.rows, shape.positions, count[0])));
    entries.sort(Comparator.comparingInt(Entry::rows).thenComparingInt(Entry::positions));
    return entries;
  }
}
