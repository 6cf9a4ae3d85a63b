package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;

/**
 * A limit on graphs and bytes as a grid of states, so that a dynamic programme can count both. What
 * a graph takes beyond the smallest one is counted in whole units, rounded up: a set that the
 * states allow never exceeds the limit in bytes.
 */
final class GraphBudget {

  /** The most graphs. */
  final int graphs;

  /** The most units of bytes beyond the smallest graph's; 0 when bytes are not counted. */
  final int units;

  private final StepCosts costs;
  private final long limitBytes;
  private final long smallest;
  private final long unit;

  /** Whether bytes are counted: they may bind, and graphs differ in size. */
  final boolean countsBytes;

  private GraphBudget(StepCosts costs, int graphs) {
    this.costs = costs;
    this.graphs = graphs;
    this.units = 0;
    this.countsBytes = false;
    this.limitBytes = Long.MAX_VALUE;
    this.smallest = 0;
    this.unit = 1;
  }

  private GraphBudget(
      StepCosts costs, int graphs, int units, long limitBytes, long smallest, long unit) {
    this.costs = costs;
    this.graphs = graphs;
    this.units = units;
    this.countsBytes = true;
    this.limitBytes = limitBytes;
    this.smallest = smallest;
    this.unit = unit;
  }

  /**
   * States for a limit.
   *
   * @param unitsPerGraph into how many units the range of graph sizes is divided
   */
  static GraphBudget of(
      TunerLimits limits, StepCosts costs, CandidateGrid grid, int unitsPerGraph) {
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int row : grid.rows) {
      for (int context : grid.contexts) {
        long bytes = costs.bytes(new Bucket(row, context));
        least = Math.min(least, bytes);
        most = Math.max(most, bytes);
      }
    }
    int graphs = Math.min(limits.graphs(), grid.rows.length * grid.contexts.length);
    if (most == 0 || limits.bytes() / most >= graphs) {
      return new GraphBudget(costs, graphs);
    }
    if (least > 0) {
      graphs = (int) Math.min(graphs, limits.bytes() / least);
    }
    if (least == most) {
      return new GraphBudget(costs, graphs);
    }
    long unit = Math.ceilDiv(most - least, unitsPerGraph);
    long room = Math.max(0, limits.bytes() - least) / unit;
    int units = (int) Math.min((long) graphs * unitsPerGraph, room);
    return new GraphBudget(costs, graphs, units, limits.bytes(), least, unit);
  }

  /** Units that the graph of a bucket takes. */
  int unitsOf(Bucket bucket) {
    return countsBytes ? Math.toIntExact(Math.ceilDiv(costs.bytes(bucket) - smallest, unit)) : 0;
  }

  /** Whether a set of so many graphs and units keeps to the limit. */
  boolean allows(int graphCount, int unitCount) {
    return graphCount <= graphs
        && unitCount <= units
        && (!countsBytes || graphCount * smallest + unitCount * unit <= limitBytes);
  }
}
