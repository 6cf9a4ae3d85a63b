package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.graph.Graph;
import java.util.LinkedHashSet;
import java.util.Set;

/** One capture in progress. Everything in it is guarded by {@link Captures}. */
public final class Capture {

  private final long id;
  private final CaptureMode mode;
  private final Stream origin;
  private final ThreadState owner;
  private final Graph graph;
  private final boolean ownsGraph;
  private final Set<Stream> members = new LinkedHashSet<>();
  private boolean invalidated;
  private boolean ended;

  Capture(
      long id, CaptureMode mode, Stream origin, ThreadState owner, Graph graph, boolean ownsGraph) {
    this.id = id;
    this.mode = mode;
    this.origin = origin;
    this.owner = owner;
    this.graph = graph;
    this.ownsGraph = ownsGraph;
  }

  /** Unique for the life of the process. */
  public long id() {
    return id;
  }

  /** The graph that is being written. */
  public Graph graph() {
    return graph;
  }

  /** Destroys the graph of a capture that failed, unless the caller made it. */
  void discardGraph() {
    if (ownsGraph) {
      graph.destroy();
    }
  }

  /**
   * True when a thread may make no potentially unsafe calls because of this capture: the rules of
   * {@code cuThreadExchangeStreamCaptureMode}.
   */
  boolean forbidsUnsafeCalls(ThreadState caller) {
    boolean own = owner == caller && mode != CaptureMode.RELAXED;
    return switch (caller.captureMode()) {
      case RELAXED -> false;
      case THREAD_LOCAL -> own;
      case GLOBAL -> own || (owner != caller && mode == CaptureMode.GLOBAL);
    };
  }

  CaptureMode mode() {
    return mode;
  }

  Stream origin() {
    return origin;
  }

  ThreadState owner() {
    return owner;
  }

  Set<Stream> members() {
    return members;
  }

  boolean invalidated() {
    return invalidated;
  }

  void invalidate() {
    invalidated = true;
  }

  boolean ended() {
    return ended;
  }

  void end() {
    ended = true;
  }
}
