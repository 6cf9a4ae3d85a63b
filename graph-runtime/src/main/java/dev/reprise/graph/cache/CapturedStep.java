package dev.reprise.graph.cache;

import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.Stream;

/**
 * A step that was captured, instantiated and uploaded.
 *
 * <p>One exec runs once at a time: replays of one step are ordered by its stream.
 */
public final class CapturedStep implements AutoCloseable {

  private final GraphKey key;
  private final Graph graph;
  private final GraphExec exec;
  private final CaptureCost cost;
  private long replays;

  /** Takes over {@code graph} and {@code exec}. */
  public CapturedStep(GraphKey key, Graph graph, GraphExec exec, CaptureCost cost) {
    this.key = key;
    this.graph = graph;
    this.exec = exec;
    this.cost = cost;
  }

  /**
   * Enqueues the step as one graph launch.
   *
   * @throws dev.reprise.cuda.StaleGraphException if memory that the step uses was closed or moved
   */
  public void replay(Stream stream) {
    exec.replay(stream);
    replays++;
  }

  /** What the step was captured for. */
  public GraphKey key() {
    return key;
  }

  /** The graph, for its nodes and regions. */
  public Graph graph() {
    return graph;
  }

  /** What it cost to make. */
  public CaptureCost cost() {
    return cost;
  }

  /** How often it was replayed. */
  public long replays() {
    return replays;
  }

  @Override
  public void close() {
    exec.close();
    graph.close();
  }
}
