package dev.reprise.cli.gpucheck;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What it costs to launch chains of empty kernels, one by one and as one graph. */
final class LaunchSection implements Section {

  private static final double MICROS = 1e3;
  private static final int LEAST_ROUNDS = 5;
  private static final int MOST_ROUNDS = 200;

  @Override
  public String key() {
    return "launches";
  }

  @Override
  public String title() {
    return "Launch cost against node count";
  }

  @Override
  public boolean timed() {
    return true;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    try (Device device = Device.open(0);
        Stream stream = device.createStream("launches");
        CudaModule module = device.loadModule("empty", ptx())) {
      PreparedLaunch launch = module.kernel("empty").prepare(LaunchConfig.of(1, 32));
      List<Chain> chains = new ArrayList<>();
      try {
        for (int nodes : plan.nodes()) {
          chains.add(new Chain(stream, launch, nodes));
        }
        // The JVM compiles the path of a launch meanwhile.
        CheckPlan.Deadline warm = plan.deadline(0.05);
        for (int round = 0; round < MOST_ROUNDS && !warm.passed(); round++) {
          for (Chain chain : chains) {
            chain.round(round % 2 == 0);
          }
        }
        chains.forEach(Chain::forget);
        CheckPlan.Deadline deadline = plan.deadline(0.25);
        for (int round = 0;
            round < MOST_ROUNDS && (round < LEAST_ROUNDS || !deadline.passed());
            round++) {
          for (Chain chain : chains) {
            chain.round(round % 2 == 0);
          }
        }
        report(chains, log);
      } finally {
        chains.forEach(Chain::close);
      }
    }
  }

  private static void report(List<Chain> chains, SectionLog log) {
    Table table =
        log.table(
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
    int count = chains.size();
    double[] nodes = new double[count];
    double[][] y = new double[4][count];
    for (int i = 0; i < count; i++) {
      Chain chain = chains.get(i);
      Summary eagerIssue = chain.eagerIssue.summary();
      Summary eagerDone = chain.eagerDone.summary();
      Summary graphIssue = chain.graphIssue.summary();
      Summary graphDone = chain.graphDone.summary();
      nodes[i] = chain.nodes;
      y[0][i] = eagerIssue.median();
      y[1][i] = eagerDone.median();
      y[2][i] = graphIssue.median();
      y[3][i] = graphDone.median();
      table.add(
          chain.nodes,
          eagerDone.count(),
          eagerIssue.median(),
          eagerDone.median(),
          eagerDone.low(),
          eagerDone.high(),
          graphIssue.median(),
          graphDone.median(),
          graphDone.low(),
          graphDone.high(),
          chain.instantiateMicros,
          chain.uploadMicros);
      log.check(
          "a chain of %d is a graph of as many nodes".formatted(chain.nodes),
          chain.graphNodes == chain.nodes,
          chain.graphNodes + " nodes");
    }
    Table lines =
        log.table(
            "lines",
            "Lines through the medians by least squares, ± half width of the 95% interval",
            Table.column("what", "what"),
            Table.column("fixed_us", "fixed, µs"),
            Table.column("fixed_error_us", "±"),
            Table.column("per_node_us", "a node, µs"),
            Table.column("per_node_error_us", "±"),
            Table.column("r_squared", "R²"));
    String[] names = {"eager issue", "eager done", "graph issue", "graph done"};
    for (int i = 0; i < names.length; i++) {
      LineFit line = LineFit.of(nodes, y[i]);
      lines.add(
          names[i],
          line.intercept(),
          line.interceptError(),
          line.slope(),
          line.slopeError(),
          line.rSquared());
      log.headline(
          "%s: %s µs + %s ± %s µs a node"
              .formatted(
                  names[i],
                  Numbers.text(line.intercept()),
                  Numbers.text(line.slope()),
                  Numbers.text(line.slopeError())));
    }
  }

  private static String ptx() {
    try (InputStream in = LaunchSection.class.getResourceAsStream("empty.ptx")) {
      if (in == null) {
        throw new IllegalStateException("the command was packaged without empty.ptx");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A number of launches in a row, and the graph of them. */
  private static final class Chain implements AutoCloseable {

    private final Stream stream;
    private final PreparedLaunch launch;
    private final int nodes;
    private final int graphNodes;
    private final GraphExec exec;
    private final double instantiateMicros;
    private final double uploadMicros;
    private final Sample eagerIssue = new Sample();
    private final Sample eagerDone = new Sample();
    private final Sample graphIssue = new Sample();
    private final Sample graphDone = new Sample();

    Chain(Stream stream, PreparedLaunch launch, int nodes) {
      this.stream = stream;
      this.launch = launch;
      this.nodes = nodes;
      try (Graph graph = stream.capture(capture -> launchAll())) {
        graphNodes = graph.nodeCount();
        long start = System.nanoTime();
        exec = graph.instantiate();
        long instantiated = System.nanoTime();
        exec.upload(stream);
        stream.synchronize();
        instantiateMicros = (instantiated - start) / MICROS;
        uploadMicros = (System.nanoTime() - instantiated) / MICROS;
      }
      // Neither is measured the first time.
      launchAll();
      exec.replay(stream);
      stream.synchronize();
    }

    void forget() {
      eagerIssue.clear();
      eagerDone.clear();
      graphIssue.clear();
      graphDone.clear();
    }

    void round(boolean eagerFirst) {
      if (eagerFirst) {
        eager();
        graph();
      } else {
        graph();
        eager();
      }
    }

    private void eager() {
      long start = System.nanoTime();
      launchAll();
      long issued = System.nanoTime();
      stream.synchronize();
      eagerDone.add((System.nanoTime() - start) / MICROS);
      eagerIssue.add((issued - start) / MICROS);
    }

    private void graph() {
      long start = System.nanoTime();
      exec.replay(stream);
      long issued = System.nanoTime();
      stream.synchronize();
      graphDone.add((System.nanoTime() - start) / MICROS);
      graphIssue.add((issued - start) / MICROS);
    }

    private void launchAll() {
      for (int i = 0; i < nodes; i++) {
        stream.launch(launch);
      }
    }

    @Override
    public void close() {
      exec.close();
    }
  }
}
