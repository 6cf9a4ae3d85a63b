package dev.reprise.cuda;

import dev.reprise.cuda.ownership.CallbackThread;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A capture in progress: what {@link CaptureBody} gets to fork work to other streams and to join
 * it.
 *
 * <p><b>Threads:</b> captures are thread-local ({@code CU_STREAM_CAPTURE_MODE_THREAD_LOCAL}): only
 * the thread that began one may issue work to its streams, and calls that would break it are
 * refused on that thread before the driver sees them. <b>Capture:</b> this is one; a thread has one
 * at a time. One capture at a time runs on a device; destruction of anything on the device waits
 * until it ends. <b>Errors:</b> {@link IllegalStateException} once it is over, and for streams that
 * take no part in it.
 *
 * <p>See CUDA Driver API, "Stream Management", {@code cuStreamBeginCapture}, and CUDA Programming
 * Guide, "Cross-stream Dependencies and Events".
 */
public final class Capture {

  private static final ThreadLocal<@Nullable Capture> OF_THREAD = new ThreadLocal<>();

  private final Stream origin;
  private final Thread owner = Thread.currentThread();
  private final GraphContents contents = GraphContents.empty();
  private final CaptureOrder order;
  private final CaptureMemory memory;

  /** The nodes that the graph had before the capture. */
  private final Set<Long> known = new HashSet<>();

  /** Of the operation in progress. */
  private CaptureLedger ledger = new CaptureLedger();

  /** The stream of the operation in progress; null before the first. */
  private @Nullable Stream operating;

  private boolean over;

  private Capture(Stream origin) {
    this.origin = origin;
    this.order = new CaptureOrder(origin);
    this.memory = new CaptureMemory(order);
  }

  /** Refuses a call that is not allowed on a thread that is capturing. */
  static void refuse(String call) {
    CallbackThread.refuse(call);
    Capture current = OF_THREAD.get();
    if (current != null) {
      throw new IllegalStateException(
          "%s is not allowed while this thread captures stream '%s': it would wait for the device, or change what the capture depends on. Do it before or after the capture."
              .formatted(call, current.origin.label()));
    }
  }

  /** Captures what the body issues, see {@link Stream#capture(String, CaptureBody)}. */
  static Graph run(Stream origin, String label, CaptureBody body) {
    Graph graph = exclusively(origin, "capture", () -> new Capture(origin).run(label, body));
    return graph.checkedOrClosed();
  }

  /** Adds what the body issues to a graph, see {@link Stream#captureInto}. */
  static List<GraphNode> runInto(
      Stream origin, Graph graph, List<GraphNode> after, CaptureBody body) {
    origin.device().context().checkSame(graph.context(), "Graph", graph.label());
    return exclusively(
        origin, "captureInto", () -> new Capture(origin).runInto(graph, after, body));
  }

  private static <T> T exclusively(Stream origin, String call, Supplier<T> capture) {
    refuse("Stream." + call + " of '" + origin.label() + "'");
    if (Thread.currentThread().isVirtual()) {
      throw new IllegalStateException(
          "Stream '%s' cannot be captured on a virtual thread: the driver ties a capture to the operating system thread. Capture on a platform thread."
              .formatted(origin.label()));
    }
    Context context = origin.device().context();
    context.captureLock().lock();
    try {
      return capture.get();
    } finally {
      context.captureLock().unlock();
      context.retirement().drain();
    }
  }

  private Graph run(String label, CaptureBody body) {
    Context context = origin.device().context();
    origin.beginCapture(this, () -> StreamCalls.beginCapture(context, origin.handle()));
    MemorySegment graph =
        record(
            body,
            made -> {
              if (made.address() != 0) {
                GraphCalls.destroy(context, label, made);
              }
            });
    return Graph.captured(origin.device(), label, graph, contents);
  }

  private List<GraphNode> runInto(Graph graph, List<GraphNode> after, CaptureBody body) {
    graph.beginCapture(after);
    try {
      Set<GraphNode> before = Set.copyOf(graph.nodes());
      before.forEach(node -> known.add(node.value().address()));
      beginInto(graph, after);
      record(body, made -> added(graph, before).forEach(GraphNode::remove));
      return added(graph, before);
    } finally {
      graph.endCapture(contents);
    }
  }

  private void beginInto(Graph graph, List<GraphNode> after) {
    Context context = origin.device().context();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nodes = GraphNodeCalls.array(arena, after);
      origin.beginCapture(
          this,
          () ->
              StreamCalls.beginCaptureInto(
                  context, origin.handle(), graph.driverGraph(), nodes, after.size()));
    }
  }

  private static List<GraphNode> added(Graph graph, Set<GraphNode> before) {
    return graph.nodes().stream().filter(node -> !before.contains(node)).toList();
  }

  /**
   * Runs the body between the begin of the capture and its end.
   *
   * @param discard undoes what was captured, if anything fails; gets the graph or null
   */
  private MemorySegment record(CaptureBody body, Consumer<MemorySegment> discard) {
    OF_THREAD.set(this);
    ledger.retain(origin.device(), origin.device().handle());
    MemorySegment graph = MemorySegment.NULL;
    Throwable failure = null;
    try {
      body.run(this);
      checkJoined();
      settle();
    } catch (Throwable e) {
      failure = e;
    }
    try {
      graph = StreamCalls.endCapture(origin.device().context(), origin.handle());
    } catch (RuntimeException | Error e) {
      failure = first(failure, e);
      Cleanup.after(failure, this::discard);
    }
    OF_THREAD.remove();
    over = true;
    order.streams().forEach(Stream::endCapture);
    if (failure == null) {
      return graph;
    }
    memory.close();
    ledger.release();
    contents.release();
    MemorySegment made = graph;
    Cleanup.after(failure, () -> discard.accept(made));
    throw rethrown(failure);
  }

  /** Ends a capture that the driver did not end when it was told to, and keeps nothing of it. */
  private void discard() {
    Context context = origin.device().context();
    if (StreamCalls.isCapturing(context, origin.handle())) {
      MemorySegment graph = StreamCalls.endCapture(context, origin.handle());
      if (graph.address() != 0) {
        GraphCalls.destroy(context, origin.label(), graph);
      }
    }
  }

  private static Throwable first(@Nullable Throwable failure, Throwable later) {
    if (failure == null) {
      return later;
    }
    failure.addSuppressed(later);
    return failure;
  }

  private static RuntimeException rethrown(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException e) {
      return e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    // A body in another language may throw checked exceptions undeclared.
    return new IllegalStateException("The capture failed.", failure);
  }

  private void checkJoined() {
    List<Stream> unjoined = order.unjoined();
    if (!unjoined.isEmpty()) {
      throw new IllegalStateException(
          "The capture of stream '%s' ended with work that it does not wait for, on %s. Join each forked stream after its last operation."
              .formatted(
                  origin.label(),
                  unjoined.stream()
                      .map(stream -> "'" + stream.label() + "'")
                      .collect(Collectors.joining(", "))));
    }
  }

  /** The stream that is captured. */
  public Stream origin() {
    return origin;
  }

  /** Lets {@code stream} take part: its next operations come after those of the origin so far. */
  public void fork(Stream stream) {
    fork(origin, stream);
  }

  /** Lets {@code to} take part: its next operations come after those of {@code from} so far. */
  public void fork(Stream from, Stream to) {
    order(from, to, "fork");
  }

  /** Lets the origin go on after the operations of a forked stream so far. */
  public void join(Stream stream) {
    join(stream, origin);
  }

  /** Lets {@code into} go on after the operations of {@code from} so far. */
  public void join(Stream from, Stream into) {
    order(from, into, "join");
  }

  private void order(Stream before, Stream after, String why) {
    if (over) {
      throw new IllegalStateException(
          "The capture of stream '%s' is over.".formatted(origin.label()));
    }
    if (!order.streams().contains(before)) {
      throw new IllegalStateException(
          "Stream '%s' takes no part in the capture of stream '%s'; fork it first."
              .formatted(before.label(), origin.label()));
    }
    if (before == after) {
      throw new IllegalArgumentException(
          "Stream '%s' cannot %s with itself.".formatted(before.label(), why));
    }
    String label = "%s of '%s' and '%s'".formatted(why, before.label(), after.label());
    try (Event event = origin.device().newEvent(label, EventOptions.STANDARD)) {
      before.record(event);
      after.waitFor(event);
    }
  }

  /**
   * Refuses that a stream waits for an event across the boundary of a capture.
   *
   * @param mine the capture that the stream takes part in, or null
   * @param where the capture that the event was recorded in, or null
   */
  static void checkWait(
      Stream stream, @Nullable Capture mine, Event event, Event.@Nullable Captured where) {
    if (where == null) {
      if (mine != null) {
        throw new IllegalStateException(
            "Stream '%s' is captured and cannot wait for event '%s', which was not recorded in the capture."
                .formatted(stream.label(), event.label()));
      }
      return;
    }
    if (where.capture().isOver()) {
      throw new IllegalStateException(
          "Event '%s' was last recorded in the capture of stream '%s', which is over. Record it again before stream '%s' waits for it."
              .formatted(event.label(), where.capture().origin().label(), stream.label()));
    }
    where.capture().checkThread(stream);
    if (mine != null && mine != where.capture()) {
      throw new IllegalStateException(
          "Stream '%s' and event '%s' belong to different captures."
              .formatted(stream.label(), event.label()));
    }
  }

  /** What the operation in progress uses. */
  CaptureLedger ledger() {
    return ledger;
  }

  /** Called before the first driver call of an operation, when the one before it is complete. */
  void operationBegins(Stream stream) {
    settle();
    operating = stream;
    ledger.issuedTo(stream);
  }

  /**
   * Notes what the last operation used, as that of its node if it became one. An operation that
   * became none, such as the record of an event, leaves the stream at a node that is known already.
   */
  private void settle() {
    Attachment uses = ledger.captured();
    ledger = new CaptureLedger();
    if (uses.nodes().isEmpty()) {
      return;
    }
    long node;
    try {
      node =
          operating == null
              ? 0
              : StreamCalls.lastCaptured(operating.device().context(), operating.handle());
    } catch (RuntimeException e) {
      contents.add(uses);
      throw e;
    }
    if (node == 0 || contents.of(node) != null || known.contains(node)) {
      contents.add(uses);
    } else {
      contents.put(node, uses);
    }
  }

  /** The memory that it allocates and frees. */
  CaptureMemory memory() {
    return memory;
  }

  CaptureOrder order() {
    return order;
  }

  boolean isOver() {
    return over;
  }

  void checkThread(Stream stream) {
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException(
          "Stream '%s' is being captured by thread %s; only that thread may use it until the capture ends."
              .formatted(stream.label(), owner.getName()));
    }
  }
}
