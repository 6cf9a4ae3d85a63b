package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.rules.OpenRule;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All captures of the process and the rules of stream capture: CUDA Programming Guide, "Creating a
 * Graph Using Stream Capture", and the documentation of the {@code cuStream*Capture*} functions.
 *
 * <p>One lock guards every capture, the graphs being captured, and the dependency sets of streams.
 */
public final class Captures {

  private final Handles handles;
  private final RulesInForce rules;
  private final Supplier<ThreadState> thread;
  private final Set<Capture> live = new LinkedHashSet<>();
  private volatile boolean any;
  private long nextId = 1;

  /**
   * No captures.
   *
   * @param rules the answers to open rules
   * @param thread gives the state of the calling thread
   */
  public Captures(Handles handles, RulesInForce rules, Supplier<ThreadState> thread) {
    this.handles = handles;
    this.rules = rules;
    this.thread = thread;
  }

  /** The answers to open rules. */
  RulesInForce rules() {
    return rules;
  }

  /** Starts a capture on a stream that takes part in none. */
  public synchronized void begin(Stream stream, CaptureMode mode, ThreadState thread) {
    checkBegin(stream);
    start(new Capture(nextId++, mode, stream, thread, handles.publish(new Graph(handles)), true));
  }

  /** Starts a capture that adds to a graph, its first node after the given ones. */
  public synchronized void beginInto(
      Stream stream, CaptureMode mode, ThreadState thread, Graph graph, List<Node> after) {
    checkBegin(stream);
    for (Node node : after) {
      if (!graph.nodes().contains(node)) {
        throw CudaFailure.invalidValue(node + " is not in " + graph);
      }
    }
    if (isWriting(graph)) {
      throw CudaFailure.invalidValue(graph + " is being captured");
    }
    start(new Capture(nextId++, mode, stream, thread, graph, false));
    stream.dependencies().addAll(after);
  }

  private void start(Capture capture) {
    live.add(capture);
    any = true;
    join(capture, capture.origin(), Set.of());
  }

  private static void checkBegin(Stream stream) {
    if (stream.role() == Stream.Role.LEGACY) {
      throw new CudaFailure(
          Result.STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream cannot capture");
    }
    if (stream.capture() != null) {
      throw new CudaFailure(Result.ILLEGAL_STATE, stream + " captures already");
    }
  }

  private static void join(Capture capture, Stream stream, Collection<Node> dependencies) {
    capture.members().add(stream);
    stream.dependencies().clear();
    stream.dependencies().addAll(dependencies);
    stream.capture(capture);
  }

  /** Ends the capture that began on a stream and gives its graph. */
  public synchronized Graph end(Stream stream, ThreadState thread) {
    Capture capture = stream.capture();
    if (capture == null) {
      throw new CudaFailure(Result.ILLEGAL_STATE, stream + " does not capture");
    }
    if (capture.origin() != stream) {
      throw new CudaFailure(
          Result.STREAM_CAPTURE_UNMATCHED,
          stream + " joined a capture that began on " + capture.origin());
    }
    if (capture.mode() != CaptureMode.RELAXED && capture.owner() != thread) {
      throw new CudaFailure(
          Result.STREAM_CAPTURE_WRONG_THREAD, "the capture on " + stream + " is another thread's");
    }
    boolean invalidated = capture.invalidated();
    Stream unjoined = invalidated ? null : unjoined(capture);
    close(capture);
    if (invalidated) {
      capture.discardGraph();
      throw invalidated(stream);
    }
    if (unjoined != null) {
      capture.discardGraph();
      throw new CudaFailure(
          Result.STREAM_CAPTURE_UNJOINED,
          "work captured on %s was not joined to %s".formatted(unjoined, stream));
    }
    return capture.graph();
  }

  private static @Nullable Stream unjoined(Capture capture) {
    Set<Node> joined = Graph.ancestorsAndSelf(capture.origin().dependencies());
    for (Stream member : capture.members()) {
      if (!joined.containsAll(member.dependencies())) {
        return member;
      }
    }
    return null;
  }

  private void close(Capture capture) {
    for (Stream member : capture.members()) {
      member.capture(null);
      member.dependencies().clear();
    }
    capture.end();
    live.remove(capture);
    any = !live.isEmpty();
  }

  /** Ends every capture of a context that goes away. */
  synchronized void abandon(Context context) {
    for (Capture capture : List.copyOf(live)) {
      if (capture.origin().context() == context) {
        close(capture);
        capture.discardGraph();
      }
    }
  }

  /**
   * Adds an operation to the capture of a stream.
   *
   * @return false when the stream does not capture, so that the operation is to be done
   */
  boolean add(Stream stream, Operation operation) {
    if (!any) {
      return false;
    }
    synchronized (this) {
      Capture capture = enter(stream);
      if (capture == null) {
        return false;
      }
      Node node = capture.graph().add(operation, stream.dependencies());
      stream.dependencies().clear();
      stream.dependencies().add(node);
      return true;
    }
  }

  /**
   * The valid capture of a stream that is about to get work, or null when it does not capture.
   * Fails for the legacy stream while a blocking stream captures, and for invalidated captures.
   */
  synchronized @Nullable Capture enter(Stream stream) {
    if (stream.role() == Stream.Role.LEGACY) {
      List<Capture> implicit = capturesThroughBlockingStreams(stream.context());
      if (!implicit.isEmpty()) {
        if (!rules.takesSecond(OpenRule.LEGACY_CALL)) {
          implicit.forEach(Capture::invalidate);
        }
        throw implicit();
      }
      if (rules.takesSecond(OpenRule.LEGACY_WORK)) {
        checkUnsafe(thread.get(), "work on the legacy stream");
      }
      return null;
    }
    Capture capture = stream.capture();
    if (capture != null && capture.invalidated()) {
      throw invalidated(stream);
    }
    return capture;
  }

  /** Refuses a potentially unsafe call where captures in progress forbid it to a thread. */
  synchronized void checkUnsafe(ThreadState caller, String call) {
    List<Capture> conflicts =
        live.stream().filter(capture -> capture.forbidsUnsafeCalls(caller)).toList();
    if (!conflicts.isEmpty()) {
      conflicts.forEach(Capture::invalidate);
      throw unsupported(call);
    }
  }

  static CudaFailure unsupported(String call) {
    return new CudaFailure(
        Result.STREAM_CAPTURE_UNSUPPORTED, call + " is not permitted during a capture");
  }

  /**
   * Has a stream leave its capture because it is destroyed: the capture of an origin ends without a
   * graph, that of another stream is invalidated.
   */
  public synchronized void leave(Stream stream) {
    Capture capture = stream.capture();
    if (capture == null) {
      return;
    }
    if (capture.origin() == stream) {
      close(capture);
      capture.discardGraph();
    } else {
      capture.invalidate();
      capture.members().remove(stream);
      stream.capture(null);
      stream.dependencies().clear();
    }
  }

  private List<Capture> capturesThroughBlockingStreams(Context context) {
    return live.stream()
        .filter(capture ->
            capture.members().stream()
                .anyMatch(member -> member.context() == context && member.blocking()))
        .toList();
  }

  /** Adds an operation that exists in captures only. */
  public synchronized void addInCaptureOnly(Stream stream, Operation operation) {
    if (!add(stream, operation)) {
      throw CudaFailure.invalidValue(
          operation.describe() + " as a node needs a capture, and " + stream + " does not capture");
    }
  }

  /** True when the stream takes part in a valid capture; fails as adding work would. */
  public boolean capturing(Stream stream) {
    if (!any) {
      return false;
    }
    synchronized (this) {
      return enter(stream) != null;
    }
  }

  /** Records an event in a capture; false when the stream does not capture. */
  private boolean record(Stream stream, Event event) {
    Capture capture = enter(stream);
    if (capture == null) {
      return false;
    }
    event.recordedInCapture(
        new Event.InCapture(capture, stream, Set.copyOf(stream.dependencies())));
    return true;
  }

  /** Records an event: the position of the stream, or inside a capture its dependency set. */
  public void recordEvent(Stream stream, Event event) {
    if (any) {
      synchronized (this) {
        if (record(stream, event)) {
          return;
        }
      }
    }
    event.recordOn(stream);
  }

  /** Makes a stream wait for what an event took, which may pull the stream into a capture. */
  public void waitForEvent(Stream stream, Event event) {
    Event.Recording recording = event.recording();
    if (any || recording instanceof Event.InCapture) {
      synchronized (this) {
        if (waitInCapture(stream, event, event.recording())) {
          return;
        }
      }
    }
    Marker marker =
        recording instanceof Event.Position position ? position.marker() : Marker.PASSED;
    // On the legacy stream even a wait for nothing orders the blocking streams around it.
    if (!marker.settled() || stream.role() == Stream.Role.LEGACY) {
      stream.submit(() -> {}, List.of(marker));
    }
  }

  private boolean waitInCapture(Stream stream, Event event, Event.Recording recording) {
    Capture own = enter(stream);
    if (!(recording instanceof Event.InCapture captured)) {
      if (own != null) {
        own.invalidate();
        throw new CudaFailure(
            Result.STREAM_CAPTURE_ISOLATION,
            "%s captures, but %s was recorded outside the capture".formatted(stream, event));
      }
      return false;
    }
    Capture theirs = captured.capture();
    if (own == null) {
      if (theirs.ended() || theirs.invalidated()) {
        throw CudaFailure.invalidValue(
            event + " was recorded in a capture that has ended or was invalidated");
      }
      if (stream.role() == Stream.Role.LEGACY) {
        theirs.invalidate();
        throw new CudaFailure(
            Result.STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream cannot join a capture");
      }
      join(theirs, stream, captured.nodes());
    } else if (own != theirs) {
      own.invalidate();
      if (theirs.ended()) {
        throw new CudaFailure(
            Result.STREAM_CAPTURE_ISOLATION, event + " belongs to a capture that has ended");
      }
      theirs.invalidate();
      throw new CudaFailure(
          Result.STREAM_CAPTURE_MERGE,
          "%s and %s take part in different captures".formatted(stream, event));
    } else if (captured.stream() != stream) {
      stream.dependencies().addAll(captured.nodes());
    }
    return true;
  }

  /** What {@code cuStreamGetCaptureInfo} tells; asking the legacy stream may be refused. */
  public CaptureInfo info(Stream stream) {
    if (any) {
      synchronized (this) {
        if (stream.role() == Stream.Role.LEGACY
            && !capturesThroughBlockingStreams(stream.context()).isEmpty()) {
          throw implicit();
        }
        Capture capture = stream.capture();
        if (capture != null) {
          return new CaptureInfo(
              capture.invalidated() ? CaptureStatus.INVALIDATED : CaptureStatus.ACTIVE,
              capture.id(),
              capture.graph(),
              List.copyOf(stream.dependencies()));
        }
      }
    }
    return new CaptureInfo(CaptureStatus.NONE, 0, null, List.of());
  }

  /** The valid capture of a stream; {@code CUDA_ERROR_ILLEGAL_STATE} when it does not capture. */
  public synchronized Capture requireCapturing(Stream stream) {
    Capture capture = enter(stream);
    if (capture == null) {
      throw new CudaFailure(Result.ILLEGAL_STATE, stream + " does not capture");
    }
    return capture;
  }

  /** Changes what the next captured node of a stream depends on. */
  public synchronized void updateDependencies(Stream stream, List<Node> nodes, boolean replace) {
    Capture capture = requireCapturing(stream);
    if (nodes.size() > capture.graph().nodes().size()) {
      throw CudaFailure.invalidValue(
          "%d dependencies in a graph of %d nodes"
              .formatted(nodes.size(), capture.graph().nodes().size()));
    }
    for (Node node : nodes) {
      if (!capture.graph().nodes().contains(node)) {
        throw CudaFailure.invalidValue(node + " is not in the graph being captured");
      }
    }
    if (replace) {
      stream.dependencies().clear();
    }
    stream.dependencies().addAll(nodes);
  }

  /** True when any capture is in progress: a cheap test before taking the lock. */
  boolean any() {
    return any;
  }

  /** The captures in progress; the caller holds the lock of this object. */
  Set<Capture> live() {
    return live;
  }

  /**
   * True when a graph, or one inside it, is being captured, and so may not be destroyed or lose
   * nodes.
   */
  public boolean isWriting(Graph graph) {
    if (!any) {
      return false;
    }
    synchronized (this) {
      return live.stream().anyMatch(capture -> capture.graph().within(graph));
    }
  }

  private static CudaFailure implicit() {
    return new CudaFailure(
        Result.STREAM_CAPTURE_IMPLICIT,
        "the legacy default stream synchronises with a stream that captures");
  }

  private static CudaFailure invalidated(Stream stream) {
    return new CudaFailure(
        Result.STREAM_CAPTURE_INVALIDATED,
        "the capture of " + stream + " was invalidated by an earlier error");
  }
}
