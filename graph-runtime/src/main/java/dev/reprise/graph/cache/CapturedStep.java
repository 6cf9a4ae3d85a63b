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

  /** Replays after which a use counts half. */
  private static final double HALF_LIFE = 256;

  private final GraphKey key;
  private final Graph graph;
  private final GraphExec exec;
  private final CaptureCost cost;
  private long replays;
  private long lastLaunch = -1;
  private double recentUses;
  private long recentAt;
  private double savingNanos = 1;
  private boolean closed;

  /** Takes over {@code graph} and {@code exec}. */
  public CapturedStep(GraphKey key, Graph graph, GraphExec exec, CaptureCost cost) {
    this.key = key;
    this.graph = graph;
    this.exec = exec;
    this.cost = cost;
  }

  /**
   * Enqueues the step as one graph launch. Allocates nothing on the Java heap.
   *
   * @param launch the number of this launch among all steps of the stream, from 0 on
   * @throws dev.reprise.cuda.StaleGraphException if memory that the step uses was closed or moved
   */
  public void replay(Stream stream, long launch) {
    exec.replay(stream);
    replays++;
    lastLaunch = launch;
    recentUses = recentUses(launch) + 1;
    recentAt = launch;
  }

  /** Counts the steps that would have been replays of this, had it been there. */
  public void wanted(long uses, long launch) {
    recentUses = uses;
    recentAt = launch;
  }

  /** Uses, of which older ones count less, at the time of a launch. */
  double recentUses(long launch) {
    return recentUses * Math.pow(0.5, (launch - recentAt) / HALF_LIFE);
  }

  /** Says what a replay saves against plain launches, as measured. */
  public void saves(double nanos) {
    savingNanos = Math.max(1, nanos);
  }

  /**
   * What keeping the step is worth: recent uses × measured saving, for each byte that it takes.
   *
   * @param launch the number of the next launch
   */
  double benefit(long launch) {
    return recentUses(launch) * savingNanos / Math.max(1, cost.deviceBytes());
  }

  /** Whether a replay may still be running, when launches up to {@code completed} are complete. */
  boolean inFlight(long completed) {
    return lastLaunch > completed;
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

  /** Whether it was closed or evicted. */
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    exec.close();
    graph.close();
  }
}
