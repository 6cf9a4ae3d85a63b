package dev.reprise.cli.measure;

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
import java.util.function.IntPredicate;

/** Launches chains of empty kernels, one by one and as one graph, all chains in turns. */
public final class LaunchBench {

  private static final double MICROS = 1e3;

  private LaunchBench() {}

  /**
   * Measures.
   *
   * @param nodes launches of each chain, at least three different numbers
   * @param warm whether there is a round of this number, from 0 on, that is not counted
   * @param again whether there is one that is
   * @param progress told each round that is counted
   */
  public static LaunchCosts run(
      Device device,
      List<Integer> nodes,
      IntPredicate warm,
      IntPredicate again,
      Progress progress) {
    try (Stream stream = device.createStream("launches");
        CudaModule module = device.loadModule("empty", ptx())) {
      PreparedLaunch launch = module.kernel("empty").prepare(LaunchConfig.of(1, 32));
      List<Chain> chains = new ArrayList<>();
      try {
        for (int length : nodes) {
          chains.add(new Chain(stream, launch, length));
        }
        // The JVM compiles the path of a launch meanwhile.
        for (int round = 0; warm.test(round); round++) {
          round(chains, round);
        }
        chains.forEach(Chain::forget);
        for (int round = 0; again.test(round); round++) {
          round(chains, round);
          progress.step();
        }
        return LaunchCosts.of(chains.stream().map(Chain::times).toList());
      } finally {
        chains.forEach(Chain::close);
      }
    }
  }

  private static void round(List<Chain> chains, int round) {
    for (Chain chain : chains) {
      chain.round(round % 2 == 0);
    }
  }

  private static String ptx() {
    try (InputStream in = LaunchBench.class.getResourceAsStream("empty.ptx")) {
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

    LaunchCosts.Chain times() {
      return new LaunchCosts.Chain(
          nodes,
          graphNodes,
          instantiateMicros,
          uploadMicros,
          eagerIssue.summary(),
          eagerDone.summary(),
          graphIssue.summary(),
          graphDone.summary());
    }
  }
}
