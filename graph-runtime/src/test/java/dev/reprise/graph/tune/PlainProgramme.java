package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import java.util.Arrays;

/**
 * The tuner's recurrence written down as it is: every band, every interval and every number of
 * graphs is tried, without hulls and without leaving anything out.
 */
final class PlainProgramme {

  private final StepHistogram workload;
  private final StepCosts costs;
  private final int[] rows;
  private final int[] contexts;

  PlainProgramme(StepHistogram workload, StepCosts costs, int[] rows, int[] contexts) {
    this.workload = workload;
    this.costs = costs;
    this.rows = rows;
    this.contexts = contexts;
  }

  /** The least time of all steps for each number of graphs from 0 on. */
  double[] least(int mostGraphs) {
    double[][] best = new double[rows.length + 1][mostGraphs + 1];
    for (int to = 0; to < rows.length; to++) {
      Arrays.fill(best[to + 1], Double.POSITIVE_INFINITY);
      for (int from = 0; from <= to; from++) {
        double[] band = band(from, to, mostGraphs);
        for (int all = 0; all <= mostGraphs; all++) {
          for (int here = 0; here <= all; here++) {
            best[to + 1][all] = Math.min(best[to + 1][all], best[from][all - here] + band[here]);
          }
        }
      }
    }
    return best[rows.length];
  }

  /** The least time of the steps of some rows, by graphs. */
  private double[] band(int from, int to, int mostGraphs) {
    double[][] best = new double[mostGraphs + 1][contexts.length + 1];
    for (int g = 0; g <= mostGraphs; g++) {
      for (int j = 1; j <= contexts.length; j++) {
        best[g][j] = Double.POSITIVE_INFINITY;
        for (int i = 0; i < j; i++) {
          best[g][j] = Math.min(best[g][j], best[g][i] + time(from, to, i, j, false));
          if (g > 0) {
            best[g][j] = Math.min(best[g][j], best[g - 1][i] + time(from, to, i, j, true));
          }
        }
      }
    }
    double[] last = new double[mostGraphs + 1];
    for (int g = 0; g <= mostGraphs; g++) {
      last[g] = best[g][contexts.length];
    }
    return last;
  }

  private double time(int from, int to, int i, int j, boolean replayed) {
    Bucket bucket = new Bucket(rows[to], contexts[j - 1]);
    int fewest = from == 0 ? 0 : rows[from - 1];
    int shortest = i == 0 ? 0 : contexts[i - 1];
    double micros = 0;
    for (StepHistogram.Entry e : workload.entries()) {
      if (e.rows() > fewest
          && e.rows() <= rows[to]
          && e.positions() > shortest
          && e.positions() <= contexts[j - 1]) {
        micros +=
            e.steps()
                * (replayed
                    ? costs.replayMicros(bucket) + costs.liveMicros(e.rows(), e.positions())
                    : costs.eagerMicros(e.rows(), e.positions()));
      }
    }
    return micros;
  }
}
