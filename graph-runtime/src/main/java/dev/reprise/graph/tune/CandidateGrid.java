package dev.reprise.graph.tune;

import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The sizes among which a tuner chooses, and the steps of a workload laid out over them. Cell (i,
 * j) holds the steps with more rows than the size before i and more positions than the size before
 * j.
 */
final class CandidateGrid {

  final int[] rows;
  final int[] contexts;

  /** Steps in the cells of a context, summed over the row sizes before an index. */
  final long[][] stepsBelow;

  /**
   * Time of the same steps in microseconds when each is run eagerly at its own shape, less what it
   * takes for its live rows when it is replayed.
   */
  final double[][] eagerBelow;

  /** Time in microseconds that all steps take for their live rows when they are replayed. */
  private double liveMicros;

  private CandidateGrid(int[] rows, int[] contexts) {
    this.rows = rows;
    this.contexts = contexts;
    this.stepsBelow = new long[rows.length + 1][contexts.length];
    this.eagerBelow = new double[rows.length + 1][contexts.length];
  }

  /**
   * Lays out a workload that has at least one step.
   *
   * @param contextStep contexts are multiples of it, or of a multiple of it when there would be
   *     more than {@code maxContexts}
   * @param maxRows the most row sizes; when the workload has more, those are kept at which equal
   *     shares of the steps end
   * @param wanted row counts for which the nearest size at or below is always kept
   */
  static CandidateGrid of(
      StepHistogram workload,
      StepCosts costs,
      int contextStep,
      int maxRows,
      int maxContexts,
      List<Integer> wanted) {
    List<StepHistogram.Entry> entries = workload.entries();
    CandidateGrid grid =
        new CandidateGrid(
            rowSizes(entries, workload.steps(), maxRows, wanted),
            contextSizes(entries, workload.maxPositions(), contextStep, maxContexts));
    for (StepHistogram.Entry entry : entries) {
      int r = indexAtLeast(grid.rows, entry.rows()) + 1;
      int c = indexAtLeast(grid.contexts, entry.positions());
      grid.stepsBelow[r][c] += entry.steps();
      double live = entry.steps() * costs.liveMicros(entry.rows(), entry.positions());
      double eager = entry.steps() * costs.eagerMicros(entry.rows(), entry.positions());
      grid.eagerBelow[r][c] += eager - live;
      grid.liveMicros += live;
    }
    for (int r = 1; r <= grid.rows.length; r++) {
      for (int c = 0; c < grid.contexts.length; c++) {
        grid.stepsBelow[r][c] += grid.stepsBelow[r - 1][c];
        grid.eagerBelow[r][c] += grid.eagerBelow[r - 1][c];
      }
    }
    return grid;
  }

  /** See {@link #eagerBelow}: what is to be added to every time that is made of it. */
  double liveMicros() {
    return liveMicros;
  }

  private static int[] rowSizes(
      List<StepHistogram.Entry> entries, long steps, int most, List<Integer> wanted) {
    TreeMap<Integer, Long> byRows = new TreeMap<>();
    entries.forEach(entry -> byRows.merge(entry.rows(), entry.steps(), Long::sum));
    if (byRows.size() <= most) {
      return ints(byRows.navigableKeySet());
    }
    TreeSet<Integer> kept = new TreeSet<>(List.of(byRows.lastKey()));
    long seen = 0;
    long share = 0;
    for (var entry : byRows.entrySet()) {
      seen += entry.getValue();
      if (seen * most >= share * steps) {
        kept.add(entry.getKey());
        share = seen * most / steps + 1;
      }
    }
    for (int size : wanted) {
      Integer below = byRows.floorKey(size);
      if (below != null) {
        kept.add(below);
      }
    }
    return ints(kept);
  }

  private static int[] contextSizes(
      List<StepHistogram.Entry> entries, int longest, int step, int most) {
    long granule = step;
    while ((longest + granule - 1) / granule > most) {
      granule += step;
    }
    TreeSet<Integer> sizes = new TreeSet<>();
    for (StepHistogram.Entry entry : entries) {
      long up = (entry.positions() + granule - 1) / granule * granule;
      sizes.add((int) Math.min(up, longest));
    }
    return ints(sizes);
  }

  private static int[] ints(NavigableSet<Integer> sizes) {
    return sizes.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int indexAtLeast(int[] sizes, int wanted) {
    int at = Arrays.binarySearch(sizes, wanted);
    return at >= 0 ? at : -at - 1;
  }
}
