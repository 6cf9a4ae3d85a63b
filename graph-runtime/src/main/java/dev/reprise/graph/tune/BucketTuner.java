package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds the buckets with the least total time for a workload.
 *
 * <p>The sets it chooses from: rows are cut into bands, each band into intervals of context, and
 * each of these cells is either replayed at its largest shape or run eagerly. That is how {@link
 * BucketSet#smallest} looks a bucket up, and every list of row counts × contexts is such a set.
 * Over the candidate sizes the result is exact: a dynamic programme over contexts inside one over
 * rows, for every number of graphs at once, and for bytes where graphs differ in size.
 *
 * <p>Candidates are all row counts that occur, up to 256, and up to 64 contexts; with a limit on
 * bytes that binds, up to 48 and 24.
 */
public final class BucketTuner {

  private static final int ROW_CANDIDATES = 256;
  private static final int CONTEXT_CANDIDATES = 64;
  private static final int ROW_CANDIDATES_WITH_BYTES = 48;
  private static final int CONTEXT_CANDIDATES_WITH_BYTES = 24;
  private static final int MOST_UNITS_PER_GRAPH = 16;
  private static final int PACKED = (1 << 20) - 1;

  /** Bounds the states × transitions of one solution where bytes are counted. */
  private static final double MOST_WORK = 5e8;

  private final StepCosts costs;
  private final TunerLimits limits;
  private final List<Integer> wantedRows;

  public BucketTuner(StepCosts costs, TunerLimits limits) {
    this(costs, limits, List.of());
  }

  /**
   * A tuner that keeps certain row counts among its candidates even when there are too many.
   *
   * @param wantedRows row counts of other sets that the result is to be compared with
   */
  public BucketTuner(StepCosts costs, TunerLimits limits, List<Integer> wantedRows) {
    this.costs = costs;
    this.limits = limits;
    this.wantedRows = List.copyOf(wantedRows);
  }

  /**
   * The best sets for a workload.
   *
   * @throws IllegalArgumentException if the workload has no step
   */
  public TunedBuckets tune(StepHistogram workload) {
    if (workload.steps() == 0) {
      throw new IllegalArgumentException("The workload has no decode step to tune for");
    }
    CandidateGrid grid = grid(workload, ROW_CANDIDATES, CONTEXT_CANDIDATES);
    GraphBudget budget = GraphBudget.of(limits, costs, grid, 1);
    if (budget.countsBytes) {
      grid = grid(workload, ROW_CANDIDATES_WITH_BYTES, CONTEXT_CANDIDATES_WITH_BYTES);
      budget = finestBudget(grid);
    }
    return new Solution(grid, budget).result();
  }

  private CandidateGrid grid(StepHistogram workload, int maxRows, int maxContexts) {
    return CandidateGrid.of(
        workload, costs, limits.contextStep(), maxRows, maxContexts, wantedRows);
  }

  private GraphBudget finestBudget(CandidateGrid grid) {
    int units = MOST_UNITS_PER_GRAPH;
    GraphBudget budget = GraphBudget.of(limits, costs, grid, units);
    while (units > 1 && work(grid, budget) > MOST_WORK) {
      units /= 2;
      budget = GraphBudget.of(limits, costs, grid, units);
    }
    return budget;
  }

  private static double work(CandidateGrid grid, GraphBudget budget) {
    double bands = grid.rows.length * (grid.rows.length + 1.0) / 2;
    double inBand = Math.min(budget.graphs, grid.contexts.length) + 1.0;
    double states = (budget.units + 1.0) * inBand;
    double appended = (budget.graphs + 1.0) * (budget.units + 1.0) / 2;
    return bands * states * (grid.contexts.length + appended);
  }

  /** Row bands chosen for every budget. */
  private final class Solution {

    private final CandidateGrid grid;
    private final GraphBudget budget;
    private final int bands;

    /** What buckets of each row size cost. */
    private final List<BandTable.RowCosts> rowCosts;

    /** Least time of the steps of the first so many row sizes, by graphs and units. */
    private final double[][] best;

    /** The band before, packed: its first row size, its graphs and its units. */
    private final long[][] choice;

    Solution(CandidateGrid grid, GraphBudget budget) {
      this.grid = grid;
      this.budget = budget;
      this.bands = grid.rows.length;
      this.rowCosts =
          IntStream.range(0, bands)
              .mapToObj(
                  row -> BandTable.RowCosts.of(grid, costs, budget, limits.captureWeight(), row))
              .toList();
      int states = (budget.graphs + 1) * (budget.units + 1);
      this.best = new double[bands + 1][states];
      this.choice = new long[bands + 1][states];
      for (int to = 0; to < bands; to++) {
        extend(to);
      }
    }

    private int state(int graphs, int units) {
      return graphs * (budget.units + 1) + units;
    }

    private BandTable band(int from, int to, int mostGraphs) {
      return new BandTable(grid, rowCosts.get(to), budget, from, to, mostGraphs);
    }

    /**
     * Solves the states whose last band ends with a row size. The narrowest last band comes first:
     * what it gives shows how few graphs are of interest in wider ones, which pad more.
     */
    private void extend(int to) {
      Arrays.fill(best[to + 1], Double.POSITIVE_INFINITY);
      for (int from = to; from >= 0; from--) {
        double[][] band = band(from, to, mostGraphs(from, to)).times();
        for (int g = 0; g < band.length; g++) {
          for (int u = 0; u < band[g].length; u++) {
            if (improves(band, g, u)) {
              append(to, from, g, u, band[g][u]);
            }
          }
        }
      }
    }

    /**
     * The most graphs with which a last band may still be as good in a state. With g of them it
     * leaves at most all but one to the bands before, which need no less time with fewer, and takes
     * its least time or longer.
     */
    private int mostGraphs(int from, int to) {
      double least = BandTable.least(grid, rowCosts.get(to), from, to);
      double[] before = best[from];
      double[] after = best[to + 1];
      for (int graphs = budget.graphs; graphs > 0; graphs--) {
        for (int u = 0; u <= budget.units; u++) {
          if (before[state(graphs - 1, u)] + least <= after[state(graphs, u)]) {
            return graphs;
          }
        }
      }
      return 0;
    }

    /** Whether a state is better than the same with one graph or one unit less. */
    private static boolean improves(double[][] band, int g, int u) {
      return (g == 0 || band[g][u] < band[g - 1][u]) && (u == 0 || band[g][u] < band[g][u - 1]);
    }

    private void append(int to, int from, int g, int u, double time) {
      double[] before = best[from];
      double[] after = best[to + 1];
      long packed = ((long) from << 40) | ((long) g << 20) | u;
      int ahead = state(g, u);
      for (int graphs = 0; graphs + g <= budget.graphs; graphs++) {
        int last = state(graphs, budget.units - u);
        for (int state = state(graphs, 0); state <= last; state++) {
          double total = before[state] + time;
          // Of equals the widest last band: it replays what the workload has not shown.
          if (total < after[state + ahead]
              || (total == after[state + ahead]
                  && from < (int) (choice[to + 1][state + ahead] >> 40))) {
            after[state + ahead] = total;
            choice[to + 1][state + ahead] = packed;
          }
        }
      }
    }

    TunedBuckets result() {
      List<TunedBuckets.Choice> choices = new ArrayList<>();
      for (int graphs = 0; graphs <= budget.graphs; graphs++) {
        int units = bestUnits(graphs);
        if (units < 0) {
          break;
        }
        double total = best[bands][state(graphs, units)] + grid.liveMicros();
        if (!choices.isEmpty() && total >= choices.getLast().totalMicros()) {
          TunedBuckets.Choice same = choices.getLast();
          choices.add(new TunedBuckets.Choice(graphs, same.totalMicros(), same.set()));
        } else {
          choices.add(new TunedBuckets.Choice(graphs, total, set(graphs, units)));
        }
      }
      return new TunedBuckets(
          choices,
          Arrays.stream(grid.rows).boxed().toList(),
          Arrays.stream(grid.contexts).boxed().toList());
    }

    /** The units with the least time within the limit; -1 when so many graphs do not fit. */
    private int bestUnits(int graphs) {
      int found = -1;
      for (int units = 0; units <= budget.units; units++) {
        if (budget.allows(graphs, units)
            && (found < 0
                || best[bands][state(graphs, units)] < best[bands][state(graphs, found)])) {
          found = units;
        }
      }
      return found;
    }

    private BucketSet set(int graphCount, int unitCount) {
      List<Bucket> replayed = new ArrayList<>();
      List<Bucket> eager = new ArrayList<>();
      int graphs = graphCount;
      int units = unitCount;
      int to = bands;
      boolean eagerAbove = false;
      while (to > 0) {
        long last = choice[to][state(graphs, units)];
        int from = (int) (last >> 40);
        int bandGraphs = (int) (last >> 20) & PACKED;
        int bandUnits = (int) last & PACKED;
        if (bandGraphs > 0 || !eagerAbove) {
          band(from, to - 1, bandGraphs).collect(bandGraphs, bandUnits, replayed, eager);
        }
        // A band without graphs below another such one says nothing more: its steps find that one.
        eagerAbove = bandGraphs == 0;
        to = from;
        graphs -= bandGraphs;
        units -= bandUnits;
      }
      return BucketSet.of(replayed, eager);
    }
  }
}
