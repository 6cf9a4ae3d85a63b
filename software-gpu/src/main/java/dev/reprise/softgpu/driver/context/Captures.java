package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All captures of the process and the rules of stream capture: CUDA Programming Guide, "Creating a
 * Graph Using Stream Capture", and the documentation of the {@code cuStream*Capture*} functions.
 *
 * <p>One lock guards every capture, the graphs being captured, and the dependency sets of streams.
 */
public final class Captures {

  private final Handles handles;
  private final Set<Capture> live = new LinkedHashSet<>();
  private volatile boolean any;
  private long nextId = 1;

  public Captures(Handles handles) {
    this.handles = handles;
  }

  /** Starts a capture on a stream that takes part in none. */
  public synchronized void begin(Stream stream, CaptureMode mode, ThreadState thread) {
    if (stream.role() == Stream.Role.LEGACY) {
      throw new CudaFailure(
          Result.STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream cannot capture");
    }
    if (stream.capture() != null) {
      throw new CudaFailure(Result.ILLEGAL_STATE, stream + " captures already");
    }
    Capture capture =
        new Capture(nextId++, mode, stream, thread, handles.publish(new Graph(handles)));
    live.add(capture);
    any = true;
    join(capture, stream, Set.of());
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
      capture.graph().destroy();
      throw invalidated(stream);
    }
    if (unjoined != null) {
      capture.graph().destroy();
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
        capture.graph().destroy();
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
  private @Nullable Capture enter(Stream stream) {
    if (stream.role() == Stream.Role.LEGACY) {
      List<Capture> implicit = capturesThroughBlockingStreams(stream.context());
      if (!implicit.isEmpty()) {
        implicit.forEach(Capture::invalidate);
        throw implicit();
      }
      return null;
    }
    Capture capture = stream.capture();
    if (capture != null && capture.invalidated()) {
      throw invalidated(stream);
    }
    return capture;
  }

  private List<Capture> capturesThroughBlockingStreams(Context context) {
    return live.stream()
        .filter(capture ->
            capture.members().stream()
                .anyMatch(member -> member.context() == context && member.blocking()))
        .toList();
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
    if (recording instanceof Event.Position(var marker, var stamp) && !marker.complete()) {
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

  /** True when a graph is being captured, and so may not be destroyed or lose nodes. */
  public boolean isWriting(Graph graph) {
    if (!any) {
      return false;
    }
    synchronized (this) {
      return live.stream().anyMatch(capture -> capture.graph() == graph);
    }
  }

  /** Refuses to destroy a stream that captures. */
  public void checkDestroy(Stream stream) {
    if (any) {
      synchronized (this) {
        Capture capture = stream.capture();
        if (capture != null) {
          capture.invalidate();
          throw unsupported("destroying " + stream + ", which captures,");
        }
      }
    }
  }

  /** Refuses to wait for, or ask about, a stream that captures. */
  public void checkSynchronize(Stream stream, ThreadState thread) {
    if (any) {
      synchronized (this) {
        Capture capture = enter(stream);
        if (capture != null) {
          capture.invalidate();
          throw unsupported("waiting for " + stream + ", which captures");
        }
        checkUnsafeLocked(thread, "waiting for " + stream);
      }
    }
  }

  /** Refuses to wait for a context of which a stream captures. */
  public void checkSynchronize(Context context, ThreadState thread) {
    if (any) {
      synchronized (this) {
        List<Capture> conflicts =
            live.stream().filter(capture -> capture.origin().context() == context).toList();
        if (!conflicts.isEmpty()) {
          conflicts.forEach(Capture::invalidate);
          throw unsupported("waiting for a context of which a stream captures");
        }
        checkUnsafeLocked(thread, "waiting for " + context);
      }
    }
  }

  /** Refuses to wait for, or ask about, an event recorded in a capture. */
  public void checkSynchronize(Event event, ThreadState thread) {
    if (any || event.recording() instanceof Event.InCapture) {
      synchronized (this) {
        if (event.recording() instanceof Event.InCapture captured) {
          Capture capture = captured.capture();
          if (capture.invalidated() && !capture.ended()) {
            throw new CudaFailure(
                Result.STREAM_CAPTURE_INVALIDATED, event + " is of an invalidated capture");
          }
          capture.invalidate();
          throw new CudaFailure(Result.CAPTURED_EVENT, event + " was last recorded in a capture");
        }
        checkUnsafeLocked(thread, "waiting for " + event);
      }
    }
  }

  /**
   * Refuses a call on the legacy stream that waits for its end, such as a synchronous copy, while a
   * blocking stream captures or the thread may make no unsafe calls.
   */
  public void checkSynchronousCall(Stream legacy, ThreadState thread, String call) {
    if (any) {
      synchronized (this) {
        Capture capture = enter(legacy);
        if (capture != null) {
          capture.invalidate();
          throw unsupported(call);
        }
        checkUnsafeLocked(thread, call);
      }
    }
  }

  /** Refuses a potentially unsafe call of a thread that captures in progress forbid it to. */
  public void checkUnsafe(ThreadState thread, String call) {
    if (any) {
      synchronized (this) {
        checkUnsafeLocked(thread, call);
      }
    }
  }

  private void checkUnsafeLocked(ThreadState thread, String call) {
    List<Capture> conflicts = new ArrayList<>();
    for (Capture capture : live) {
      boolean forbids =
          switch (thread.captureMode()) {
            case RELAXED -> false;
            case THREAD_LOCAL -> forbidsOwner(capture, thread);
            case GLOBAL ->
                forbidsOwner(capture, thread)
                    || (capture.owner() != thread && capture.mode() == CaptureMode.GLOBAL);
          };
      if (forbids) {
        conflicts.add(capture);
      }
    }
    if (!conflicts.isEmpty()) {
      conflicts.forEach(Capture::invalidate);
      throw unsupported(call);
    }
  }

  private static boolean forbidsOwner(Capture capture, ThreadState thread) {
    return capture.owner() == thread && capture.mode() != CaptureMode.RELAXED;
  }

  private static CudaFailure unsupported(String call) {
    return new CudaFailure(
        Result.STREAM_CAPTURE_UNSUPPORTED, call + " is not permitted during a capture");
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
