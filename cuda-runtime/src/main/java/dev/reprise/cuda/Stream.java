package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.CallbackThread;
import dev.reprise.cuda.ownership.HandleNode;
import dev.reprise.cuda.ownership.StreamClock;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A queue of work on a device, done in the order it is issued. Always non-blocking: it never waits
 * for the legacy default stream.
 *
 * <p>Operations return when they are issued, except {@link #write}, {@link #read} and {@link
 * #synchronize}, which wait. An operation keeps the memory, code and events that it uses alive
 * until it is done, even if they are closed meanwhile.
 *
 * <p><b>Threads:</b> any; operations of several threads are issued one after the other.
 *
 * <p><b>Capture:</b> while the stream is captured, only the capturing thread may use it, and what
 * waits is refused with an {@link IllegalStateException}.
 *
 * <p><b>Errors:</b> {@link CudaException} from the driver, which for asynchronous work may come
 * from a later call; {@link IllegalStateException} for the use of something closed.
 *
 * <p>See CUDA Driver API, "Stream Management".
 */
public final class Stream extends StreamMemoryOperations implements AutoCloseable {

  private final Device device;
  private final Context context;
  private final StreamHandle handle;
  private final StreamClock clock;
  private final StreamMemory memory;
  private final StreamValues values;
  private final StreamPeers peers;
  private final StreamReplays replays;

  /** Its operations for the check of accesses; null when that is off. */
  private final @Nullable StreamAccess access;

  private final AtomicInteger captures = new AtomicInteger();

  /** The capture it takes part in; written by the capturing thread. */
  private volatile @Nullable Capture capture;

  Stream(Device device, StreamHandle handle) {
    this.device = device;
    this.context = device.context();
    this.handle = handle;
    this.clock = handle.clock();
    this.memory = new StreamMemory(this);
    this.values = new StreamValues(this);
    this.peers = new StreamPeers(this);
    this.replays = new StreamReplays(this);
    this.access = handle.access();
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /** The device it belongs to. */
  @Override
  public Device device() {
    return device;
  }

  /**
   * The driver's {@code CUstream}, for calls that the runtime does not have. Borrowed: it is good
   * while the stream is open and reachable; see {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the stream is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return handle.value();
  }

  /**
   * Issues a launch ({@code cuLaunchKernel} or {@code cuLaunchKernelEx}). Allocates nothing on the
   * Java heap, except in a capture, for memory of another device and for buffers with automatic
   * order.
   */
  public void launch(PreparedLaunch launch) {
    List<PeerLease> leases = List.of();
    clock.lock();
    try {
      long ticket = issue();
      launch.markUse(clock, ticket);
      orderUseBeforeCheck();
      handle.checkOpen();
      launch.checkOpen();
      if (launch.usesPeers()) {
        leases = launch.lease(device.handle(), clock, ticket);
      }
      launch.checkAllocated(this, capture);
      if (launch.usesAutomaticOrder() && capture == null) {
        launch.automaticUses().issue(handle, () -> issue(launch));
      } else {
        issue(launch);
      }
    } finally {
      clock.unlock();
      if (!leases.isEmpty()) {
        // Not before the call is made: the fence that a lease waits for must be behind it.
        leases.forEach(PeerLease::close);
      }
    }
  }

  private void issue(PreparedLaunch launch) {
    Capture current = capture;
    StreamAccess checked = current == null ? access : null;
    if (current != null) {
      launch.capture(current.ledger());
    } else if (checked != null) {
      checked.issue(launch.operation(), launch.uses());
    }
    HotCalls calls = context.hotCalls();
    context.makeCurrent();
    int code = launch.call(calls, handle);
    if (code != Failures.SUCCESS) {
      if (checked != null) {
        checked.withdraw();
      }
      throw Failures.of(
          code,
          launch.driverFunction(),
          "kernel",
          launch.kernel().name(),
          "config",
          launch.config(),
          "stream",
          label());
    }
  }

  /**
   * Issues work whose use of memory the runtime cannot see, such as a launch that finds addresses
   * in a table, or is given one as a number ({@link DeviceBuffer#address}). As with any operation,
   * the memory is kept until the work is done, a graph that captures it owns it, and where accesses
   * are checked it takes part, see {@link dev.reprise.cuda.diagnostics.AccessCheck}.
   *
   * @param operation its name in messages
   * @param work issues it to this stream and waits for nothing; no other thread issues to the
   *     stream meanwhile. In a capture, its last operation counts as the one that uses the memory
   * @param uses the memory, as {@link KernelArg#read(DeviceBuffer)} and its like describe it
   * @throws IllegalArgumentException if one of the uses is a value
   */
  public void declare(String operation, Runnable work, KernelArg... uses) {
    List<KernelUse> declared = KernelUse.all(uses);
    declared.forEach(use -> use.place().checkDevice(context));
    clock.lock();
    try {
      long ticket = begin();
      declared.forEach(use -> use(use.place().handle(), ticket));
      if (capture == null) {
        new AutomaticUses().addAll(declared).issue(handle, () -> issue(operation, work, declared));
      } else {
        declared.forEach(use -> use.place().handle().checkForGraph());
        work.run();
      }
      Capture current = capture;
      if (current != null) {
        for (KernelUse use : declared) {
          use.enter(operation, operation, current.ledger());
        }
      }
    } finally {
      clock.unlock();
    }
  }

  private void issue(String operation, Runnable work, List<KernelUse> declared) {
    if (access != null) {
      access.issue(operation, declared.stream().map(use -> use.declared(operation)).toList());
    }
    work.run();
  }

  /**
   * Runs a Java function behind the work issued so far ({@code cuLaunchHostFunc}); the work issued
   * after it waits for it. In a capture it becomes a node, which calls the function at each replay.
   * See {@link HostFunction} for what the function may do.
   */
  public void launchHost(HostFunction function) {
    launchHost("host function on " + label(), function);
  }

  /**
   * As {@link #launchHost(HostFunction)}.
   *
   * @param name the function's name in messages
   * @throws IllegalStateException if the process is ending, outside of a capture
   */
  public void launchHost(String name, HostFunction function) {
    CallbackThread.refuse("Stream.launchHost");
    HostFunctionHandle host =
        HandleNode.under(
            device.handle(), () -> new HostFunctionHandle(name, device.handle(), function));
    clock.lock();
    try {
      host.markUse(clock, begin());
      Capture current = capture;
      if (current != null) {
        current.ledger().retain(function, host);
      } else {
        HostFunctionsAtExit.willCall(handle, "Host function", name);
        if (access != null) {
          host.runsAfter(access.point());
        }
      }
      StreamCalls.launchHost(context, handle, host);
    } finally {
      clock.unlock();
      // It lives on until it has run, or as long as a graph has it.
      host.close();
    }
  }

  /**
   * Hands a task to an executor behind the work issued so far ({@code cuLaunchHostFunc}); in a
   * capture, at each replay. <b>The stream does not wait for the task</b>, only for the executor to
   * take it; {@link HostFunction#handingOff} has the rules.
   */
  public void launchHost(Runnable task, Executor executor) {
    launchHost("task handed off by " + label(), task, executor);
  }

  /**
   * As {@link #launchHost(Runnable, Executor)}.
   *
   * @param name the task's name in messages
   * @throws IllegalStateException if the process is ending, outside of a capture
   */
  public void launchHost(String name, Runnable task, Executor executor) {
    launchHost(name, HostFunction.handingOff(task, executor));
  }

  /** Sets an event behind the work issued so far ({@code cuEventRecord}). */
  public void record(Event event) {
    context.checkSame(event.handle().context(), "Event", event.label());
    clock.lock();
    try {
      use(event.handle(), begin());
      Capture current = capture;
      if (current != null) {
        current.ledger().retain(event, event.handle());
      }
      EventCalls.record(context, event.handle().value(), handle.value());
      event.recordedIn(
          current == null ? null : new Event.Captured(current, current.order().position(this)));
      if (current == null && access != null) {
        event.handle().recordedAt(access.point());
      }
    } finally {
      clock.unlock();
    }
  }

  /**
   * Lets the work issued from now on wait for an event ({@code cuStreamWaitEvent}). An event
   * recorded in a capture draws this stream into the capture, as {@link Capture#fork} does.
   *
   * <p>The event may be one of another device, outside captures.
   *
   * @throws IllegalStateException if one of the stream and the event is captured and the other is
   *     not, or not by the same capture
   */
  public void waitFor(Event event) {
    Event.Captured where = event.captured();
    boolean foreign = event.handle().context().ordinal() != context.ordinal();
    if (foreign && (where != null || capture != null)) {
      context.checkSame(event.handle().context(), "Event", event.label());
    }
    event.handle().retain();
    clock.lock();
    try {
      Capture.checkWait(this, capture, event, where);
      if (foreign) {
        // The driver keeps what a wait needs of an event that is destroyed.
        begin();
        event.handle().checkOpen();
      } else {
        use(event.handle(), begin());
      }
      if (where != null) {
        where.capture().ledger().retain(event, event.handle());
      }
      StreamCalls.waitEvent(context, handle, event.handle());
      if (where != null) {
        capture = where.capture();
        where.capture().order().waitFor(this, where.position());
        // To take part at all counts as work: the driver wants every fork joined.
        where.capture().order().advance(this);
      } else if (access != null) {
        access.waitFor(event.handle().recorded());
      }
    } finally {
      clock.unlock();
      event.handle().release();
    }
  }

  /**
   * Signals an external semaphore behind the work issued so far ({@code
   * cuSignalExternalSemaphoresAsync}).
   *
   * @param value the number that a timeline rises to; 0 for a binary one
   */
  public void signal(ExternalSemaphore semaphore, long value) {
    issue(new SemaphoreUse(semaphore, value, true));
  }

  /**
   * Lets the work issued from now on wait for an external semaphore ({@code
   * cuWaitExternalSemaphoresAsync}). If it is never signalled, the stream never goes on.
   *
   * @param value the number that a timeline must reach; 0 for a binary one
   */
  public void waitFor(ExternalSemaphore semaphore, long value) {
    issue(new SemaphoreUse(semaphore, value, false));
  }

  private void issue(SemaphoreUse use) {
    context.checkSame(use.handle().context(), "ExternalSemaphore", use.semaphore().label());
    clock.lock();
    try {
      use(use.handle(), begin());
      Capture current = capture;
      if (current != null) {
        use.enter(context, current.ledger());
      }
      SemaphoreCalls.issue(context, use, handle);
      if (current == null && access != null) {
        use.tell(access);
      }
    } finally {
      clock.unlock();
    }
  }

  /** Waits until all work issued so far is done ({@code cuStreamSynchronize}). */
  public void synchronize() {
    refuseToWait("Stream.synchronize");
    await();
    context.retirement().drain();
  }

  private void refuseToWait(String call) {
    Capture.refuse(call + " of '" + label() + "'");
    handle.checkOpen();
    Capture current = capture;
    if (current != null) {
      // The driver would refuse as well, and break the other thread's capture.
      current.checkThread(this);
    }
  }

  /** Waits for all that was issued so far. */
  void await() {
    long ticket = clock.issued();
    Clock point = access == null ? null : access.point();
    handle.retain();
    try {
      StreamCalls.synchronize(context, handle.value(), label());
      clock.completedTo(ticket);
      context.waited(point);
    } finally {
      handle.release();
    }
  }

  /** Whether all work issued so far is done ({@code cuStreamQuery}). */
  public boolean isComplete() {
    refuseToWait("Stream.isComplete");
    Clock point = access == null ? null : access.point();
    handle.retain();
    try {
      boolean complete = StreamCalls.isComplete(context, handle);
      if (complete) {
        context.waited(point);
      }
      return complete;
    } finally {
      handle.release();
    }
  }

  /** Whether the stream takes part in a capture. */
  public boolean isCapturing() {
    return capture != null;
  }

  /**
   * Captures a graph, labelled after the stream ({@code cuStreamBeginCapture}); see {@link
   * #capture(String, CaptureBody)}.
   */
  public Graph capture(CaptureBody body) {
    return capture(label() + " capture " + captures.incrementAndGet(), body);
  }

  /**
   * Records what the body issues to this stream, and to streams forked from it, as a graph instead
   * of running it.
   *
   * <p>The graph owns all that it captured. If the body throws, the capture is ended, nothing is
   * left of it, the stream can be used as before, and what the body threw is thrown, with failures
   * of ending the capture as suppressed exceptions.
   *
   * <p>Waits for a capture of another thread on the same device. Runs on platform threads only,
   * since the driver ties a capture to the operating system thread.
   *
   * @param label its name in messages
   * @throws IllegalStateException if the thread is virtual or already capturing, or if a forked
   *     stream was not joined
   */
  public Graph capture(String label, CaptureBody body) {
    return Capture.run(this, label, body);
  }

  /**
   * Records what the body issues to this stream, and to streams forked from it, as nodes of a graph
   * that exists ({@code cuStreamBeginCaptureToGraph}, CUDA 12.3), such as the body of a {@link
   * ConditionalNode}. The graph owns all that is captured.
   *
   * <p>If the body throws, the nodes that it added are removed again and what it threw is thrown,
   * as by {@link #capture(String, CaptureBody)}, which has the rules. Other threads cannot use the
   * graph meanwhile.
   *
   * @param after nodes of the graph that come before the first work
   * @return the nodes that were added
   */
  public List<GraphNode> captureInto(Graph graph, CaptureBody body, GraphNode... after) {
    return Capture.runInto(this, graph, List.of(after), body);
  }

  void beginCapture(Capture begun, Runnable begin) {
    clock.lock();
    try {
      use(handle, clock.issue());
      begin.run();
      capture = begun;
    } finally {
      clock.unlock();
    }
  }

  void endCapture() {
    capture = null;
  }

  /** Destroys the stream once its work is done; does not wait. */
  @Override
  public void close() {
    Capture current = capture;
    if (current != null) {
      throw new IllegalStateException(
          "Stream '%s' takes part in the capture of stream '%s' and cannot be closed before it ends."
              .formatted(label(), current.origin().label()));
    }
    handle.close();
  }

  /** Starts an operation; the clock's lock is held. */
  long begin() {
    long ticket = issue();
    orderUseBeforeCheck();
    handle.checkOpen();
    return ticket;
  }

  /**
   * As {@link #begin()}, but leaves it to the caller to call {@link #orderUseBeforeCheck} and to
   * check that the stream is open, once for it and all else that is used: a fence costs as much as
   * the rest of the bookkeeping of a launch.
   */
  long issue() {
    Capture current = capture;
    if (current != null) {
      current.checkThread(this);
      current.operationBegins(this);
      current.order().advance(this);
    }
    long ticket = clock.issue();
    handle.markUse(clock, ticket);
    return ticket;
  }

  /** Notes a use by the operation of a ticket, then refuses if the object is closed. */
  void use(HandleNode node, long ticket) {
    node.markUse(clock, ticket);
    orderUseBeforeCheck();
    node.checkOpen();
    if (node instanceof GraphMemoryHandle graphMemory) {
      graphMemory.checkAllocated(this, capture);
    }
  }

  @Override
  StreamValues values() {
    return values;
  }

  @Override
  StreamPeers peers() {
    return peers;
  }

  StreamReplays replays() {
    return replays;
  }

  /** The capture that the stream takes part in, or null. */
  @Nullable Capture capture() {
    return capture;
  }

  /** What the capture that the stream takes part in has used; null outside captures. */
  @Nullable CaptureLedger ledger() {
    Capture current = capture;
    return current == null ? null : current.ledger();
  }

  /**
   * A close on another thread either sees the use that was noted, or is seen by the check that
   * follows; for that the one must not be reordered behind the other.
   */
  static void orderUseBeforeCheck() {
    VarHandle.fullFence();
  }

  StreamHandle handle() {
    return handle;
  }

  @Override
  StreamMemory memory() {
    return memory;
  }

  @Override
  public String toString() {
    return "Stream '" + label() + "'";
  }
}
