package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import java.util.List;

/**
 * The best contexts for one band of rows, for every budget: steps of more than {@code rows[from]}
 * and at most {@code rows[to]} rows, all computed at the latter.
 *
 * <p>{@code best[layer][j]} is the least time of the steps in the first {@code j} contexts with at
 * most the graphs and units of the layer. The last interval before {@code j} either runs eagerly or
 * is replayed at context {@code j - 1}. Where such an interval should begin is a minimum over lines
 * (its time is linear in the cost of one replay), so that {@link LowerHull} finds it at once.
 */
final class BandTable {

  /** Relative error that sums of the same times in another order stay below. */
  private static final double ROUNDING = 1e-12;

  private final CandidateGrid grid;
  private final int from;
  private final int to;
  private final int graphs;
  private final int units;
  private final double[][] best;
  private final long[] stepsBelow;
  private final double[] eager;
  private final double[] replay;
  private final double[] capture;
  private final int[] unitsOf;

  /**
   * What buckets of one row count cost, by context.
   *
   * @param replay time of a replay in microseconds
   * @param capture weighted time of the capture in microseconds
   * @param units units of the budget
   */
  record RowCosts(double[] replay, double[] capture, int[] units) {

    static RowCosts of(
        CandidateGrid grid, StepCosts costs, GraphBudget budget, double captureWeight, int row) {
      int contexts = grid.contexts.length;
      RowCosts found = new RowCosts(new double[contexts], new double[contexts], new int[contexts]);
      for (int c = 0; c < contexts; c++) {
        Bucket bucket = new Bucket(grid.rows[row], grid.contexts[c]);
        found.replay[c] = costs.replayMicros(bucket);
        found.capture[c] = captureWeight * 1000 * costs.captureMillis(bucket);
        found.units[c] = budget.unitsOf(bucket);
      }
      return found;
    }
  }

  /**
   * Solves a band.
   *
   * @param costs those of the row size {@code to}
   * @param from index of the row size below the band plus one: the first row size in it
   * @param to index of the row size of the band
   * @param mostGraphs the most graphs that are of interest
   */
  BandTable(
      CandidateGrid grid, RowCosts costs, GraphBudget budget, int from, int to, int mostGraphs) {
    this.grid = grid;
    this.from = from;
    this.to = to;
    int contexts = grid.contexts.length;
    this.graphs = Math.min(mostGraphs, Math.min(budget.graphs, contexts));
    this.units = budget.units;
    this.stepsBelow = new long[contexts + 1];
    this.eager = new double[contexts];
    this.replay = costs.replay();
    this.capture = costs.capture();
    this.unitsOf = costs.units();
    for (int c = 0; c < contexts; c++) {
      stepsBelow[c + 1] = stepsBelow[c] + grid.stepsBelow[to + 1][c] - grid.stepsBelow[from][c];
      eager[c] = grid.eagerBelow[to + 1][c] - grid.eagerBelow[from][c];
    }
    this.best = new double[(graphs + 1) * (units + 1)][contexts + 1];
    solve();
  }

  /**
   * A time that the band's steps take at least, however many graphs it has: each context on its
   * own, replayed or eager, and no capture.
   */
  static double least(CandidateGrid grid, RowCosts costs, int from, int to) {
    double micros = 0;
    double replay = Double.POSITIVE_INFINITY;
    for (int c = grid.contexts.length - 1; c >= 0; c--) {
      long steps = grid.stepsBelow[to + 1][c] - grid.stepsBelow[from][c];
      double eager = grid.eagerBelow[to + 1][c] - grid.eagerBelow[from][c];
      // A step is replayed at its own context or a longer one.
      replay = Math.min(replay, costs.replay[c]);
      micros += Math.min(eager, replay * steps);
    }
    return micros * (1 - ROUNDING);
  }

  private Bucket bucket(int context) {
    return new Bucket(grid.rows[to], grid.contexts[context]);
  }

  private int layer(int g, int u) {
    return g * (units + 1) + u;
  }

  private void solve() {
    for (int u = 0; u <= units; u++) {
      eagerAlone(best[u]);
    }
    if (graphs == 0) {
      return;
    }
    LowerHull[] hulls = new LowerHull[units + 1];
    for (int u = 0; u <= units; u++) {
      hulls[u] = new LowerHull(grid.contexts.length + 1);
    }
    for (int g = 1; g <= graphs; g++) {
      for (LowerHull hull : hulls) {
        hull.clear();
      }
      boolean differs = units == 0 ? solveGraphs(g, hulls[0]) : solve(g, hulls);
      if (!differs) {
        // A layer follows from the one before alone, so that all later ones would be the same.
        for (int layer = layer(g + 1, 0); layer < best.length; layer++) {
          best[layer] = best[layer - (units + 1)];
        }
        return;
      }
    }
  }

  private void eagerAlone(double[] line) {
    for (int c = 0; c < eager.length; c++) {
      line[c + 1] = line[c] + eager[c];
    }
  }

  /** Solves the layers of one number of graphs; false when one graph less gives the same. */
  private boolean solve(int g, LowerHull[] hulls) {
    boolean differs = false;
    for (int j = 1; j <= grid.contexts.length; j++) {
      int c = j - 1;
      // Without steps at this very context, a shorter one serves the interval for no more.
      boolean pays = stepsBelow[j] > stepsBelow[c];
      for (int u = 0; u <= units; u++) {
        hulls[u].add(c, stepsBelow[c], best[layer(g - 1, u)][c]);
      }
      for (int u = 0; u <= units; u++) {
        double[] line = best[layer(g, u)];
        double least = line[c] + eager[c];
        if (pays && u >= unitsOf[c]) {
          int before = u - unitsOf[c];
          int i = hulls[before].least(replay[c]);
          least = Math.min(least, best[layer(g - 1, before)][i] + interval(i, j));
        }
        line[j] = least;
        differs |= least != best[layer(g - 1, u)][j];
      }
    }
    return differs;
  }

  /** The same where bytes are not counted. */
  private boolean solveGraphs(int g, LowerHull hull) {
    double[] before = best[g - 1];
    double[] line = best[g];
    boolean differs = false;
    for (int j = 1; j < line.length; j++) {
      int c = j - 1;
      hull.add(c, stepsBelow[c], before[c]);
      double least = line[c] + eager[c];
      if (stepsBelow[j] > stepsBelow[c]) {
        int i = hull.least(replay[c]);
        least = Math.min(least, before[i] + interval(i, j));
      }
      line[j] = least;
      differs |= least != before[j];
    }
    return differs;
  }

  private double interval(int i, int j) {
    return replay[j - 1] * (stepsBelow[j] - stepsBelow[i]) + capture[j - 1];
  }

  /** The most graphs of this band alone. */
  int graphs() {
    return graphs;
  }

  /** The least time of the band's steps for each budget, by graphs and units. */
  double[][] times() {
    double[][] times = new double[graphs + 1][units + 1];
    for (int g = 0; g <= graphs; g++) {
      for (int u = 0; u <= units; u++) {
        times[g][u] = best[layer(g, u)][grid.contexts.length];
      }
    }
    return times;
  }

  /**
   * The buckets behind {@link #times} for one budget. Where the workload has no steps they are
   * chosen for steps that it might have had: nothing there is marked as eager, and the longest
   * bucket reaches as far as it costs no more.
   */
  void collect(int graphCount, int unitCount, List<Bucket> replayed, List<Bucket> eagerly) {
    int longest = grid.contexts.length - 1;
    if (graphCount == 0) {
      eagerly.add(bucket(longest));
      return;
    }
    int g = graphCount;
    int u = unitCount;
    int j = grid.contexts.length;
    boolean first = true;
    boolean eagerBefore = false;
    while (j > 0) {
      int c = j - 1;
      double value = best[layer(g, u)][j];
      if (value == best[layer(g, u)][c] + eager[c]) {
        if (!eagerBefore && stepsBelow[j] > stepsBelow[c]) {
          eagerly.add(bucket(c));
          eagerBefore = true;
          first = false;
        }
        j--;
        continue;
      }
      replayed.add(bucket(first && costsAlike(c, longest) ? longest : c));
      double[] before = best[layer(g - 1, u - unitsOf[c])];
      int i = c;
      while (i > 0 && before[i] + interval(i, j) != value) {
        i--;
      }
      g--;
      u -= unitsOf[c];
      j = i;
      first = false;
      eagerBefore = false;
    }
  }

  private boolean costsAlike(int a, int b) {
    return replay[a] == replay[b] && capture[a] == capture[b] && unitsOf[a] == unitsOf[b];
  }

  @Override
  public String toString() {
    return "rows " + grid.rows[from] + " to " + grid.rows[to];
  }
}
