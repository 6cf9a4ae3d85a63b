package dev.reprise.cli.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What chains of empty kernels cost, and the lines through their medians.
 *
 * @param chains the chains, by number of nodes as it was asked for
 * @param lines a line for each kind of time, by its name
 */
public record LaunchCosts(List<Chain> chains, Map<String, LineFit> lines) {

  /**
   * A chain of empty kernels; microseconds of the host. "Issue" ends when the call returns, "done"
   * when the stream is empty.
   *
   * @param nodes launches, which are kernel nodes of the graph
   * @param graphNodes nodes that the graph says it has
   * @param instantiateMicros of the instantiation, once
   * @param uploadMicros from the upload to its completion, once
   * @param eagerIssue of plain launches
   * @param eagerDone of plain launches
   * @param graphIssue of the graph launch
   * @param graphDone of the graph launch
   */
  public record Chain(
      int nodes,
      int graphNodes,
      double instantiateMicros,
      double uploadMicros,
      Summary eagerIssue,
      Summary eagerDone,
      Summary graphIssue,
      Summary graphDone) {}

  /** Fits the lines. At least three chains of different lengths are needed. */
  public static LaunchCosts of(List<Chain> chains) {
    Map<String, LineFit> lines = new LinkedHashMap<>();
    lines.put("eager issue", fit(chains, Chain::eagerIssue));
    lines.put("eager done", fit(chains, Chain::eagerDone));
    lines.put("graph issue", fit(chains, Chain::graphIssue));
    lines.put("graph done", fit(chains, Chain::graphDone));
    return new LaunchCosts(chains, lines);
  }

  private static LineFit fit(List<Chain> chains, Function<Chain, Summary> time) {
    return LineFit.of(
        chains.stream().mapToDouble(Chain::nodes).toArray(),
        chains.stream().mapToDouble(chain -> time.apply(chain).median()).toArray());
  }

  /** The chains. */
  public Table chainTable() {
    Table table =
        new Table(
            "chains",
            "Chains of empty kernels; \"issue\" ends when the call returns, \"done\" when the"
                + " stream is empty; medians with 95% intervals in brackets",
            Table.column("nodes", "nodes"),
            Table.column("rounds", "rounds"),
            Table.column("eager_issue_us", "eager issue, µs"),
            Table.column("eager_done_us", "eager done, µs"),
            Table.column("eager_done_low_us", "["),
            Table.column("eager_done_high_us", "]"),
            Table.column("graph_issue_us", "graph issue, µs"),
            Table.column("graph_done_us", "graph done, µs"),
            Table.column("graph_done_low_us", "["),
            Table.column("graph_done_high_us", "]"),
            Table.column("instantiate_us", "instantiate, µs"),
            Table.column("upload_us", "upload, µs"));
    for (Chain chain : chains) {
      table.add(
          chain.nodes,
          chain.eagerDone.count(),
          chain.eagerIssue.median(),
          chain.eagerDone.median(),
          chain.eagerDone.low(),
          chain.eagerDone.high(),
          chain.graphIssue.median(),
          chain.graphDone.median(),
          chain.graphDone.low(),
          chain.graphDone.high(),
          chain.instantiateMicros,
          chain.uploadMicros);
    }
    return table;
  }

  /** The lines. */
  public Table lineTable() {
    Table table =
        new Table(
            "lines",
            "Lines through the medians by least squares, ± half width of the 95% interval",
            Table.column("what", "what"),
            Table.column("fixed_us", "fixed, µs"),
            Table.column("fixed_error_us", "±"),
            Table.column("per_node_us", "a node, µs"),
            Table.column("per_node_error_us", "±"),
            Table.column("r_squared", "R²"));
    lines.forEach((name, line) ->
        table.add(
            name,
            line.intercept(),
            line.interceptError(),
            line.slope(),
            line.slopeError(),
            line.rSquared()));
    return table;
  }
}
