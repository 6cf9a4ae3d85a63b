package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.CallbackThread;
import dev.reprise.cuda.ownership.HandleNode;
import dev.reprise.cuda.ownership.StreamClock;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue of work on a device, done in the order it is issued. Always non-blocking: it never waits
 * for the legacy default stream.
 *
 * <p>Operations return when they are issued, except {@link #write}, {@link #read} and {@link
 * #synchronize}, which wait. An operation keeps the memory, code and events that it uses alive
 * until it is done, even if they are closed meanwhile.
 *
 * <p><b>Threads:</b> any; operations of several threads are issued one after the other. <b>
 * Capture:</b> while the stream is captured, only the capturing thread may use it, and what waits
 * is refused with an {@link IllegalStateException}. <b>Errors:</b> {@link CudaException} from the
 * driver, which for asynchronous work may come from a later call; {@link IllegalStateException} for
 * the use of something closed.
 *
 * <p>See CUDA Driver API, "Stream Management".
 */
public final class Stream implements AutoCloseable {

  private final Device device;
  private final Context context;
  private final StreamHandle handle;
  private final StreamClock clock;
  private final StreamMemory memory;

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
    this.access = handle.access();
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /** The device it belongs to. */
  public Device device() {
    return device;
  }

  /** Copies page-locked host memory to the device. */
  public void copyToDevice(
      HostBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    memory.copyToDevice(MemoryPlace.of(src, srcOffset), MemoryPlace.of(dst, dstOffset), bytes);
  }

  /** Copies device memory to page-locked host memory. */
  public void copyToHost(
      DeviceBuffer src, long srcOffset, HostBuffer dst, long dstOffset, long bytes) {
    memory.copyToHost(MemoryPlace.of(src, srcOffset), MemoryPlace.of(dst, dstOffset), bytes);
  }

  /**
   * Copies device memory to device memory of the same device.
   *
   * @throws IllegalArgumentException if the ranges overlap
   */
  public void copy(DeviceBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    memory.copy(MemoryPlace.of(src, srcOffset), MemoryPlace.of(dst, dstOffset), bytes);
  }

  /**
   * Copies rows from one pitch to another, between any of device and page-locked host memory
   * ({@code cuMemcpy2DAsync}). With no rows, or empty ones, it does nothing.
   *
   * @param rowBytes bytes of a row that are copied
   * @throws IllegalArgumentException if a row is longer than its pitch, or if the rows overlap:
   *     within one buffer they may be other rows, or other columns of rows of the same pitch
   */
  public void copy2D(PitchedMemory src, PitchedMemory dst, long rowBytes, long rows) {
    memory.copy2D(src, dst, rowBytes, rows);
  }

  /** As {@link #copy2D}, for slices of rows ({@code cuMemcpy3DAsync}). */
  public void copy3D(PitchedMemory src, PitchedMemory dst, long rowBytes, long rows, long slices) {
    memory.copy3D(src, dst, rowBytes, rows, slices);
  }

  /** Sets {@code count} bytes from {@code offset} bytes on. */
  public void fill8(DeviceBuffer dst, long offset, long count, byte value) {
    memory.fill8(MemoryPlace.of(dst, offset), count, value);
  }

  /** Sets {@code count} 16-bit words from {@code offset} bytes on, a multiple of 2. */
  public void fill16(DeviceBuffer dst, long offset, long count, short value) {
    memory.fill16(MemoryPlace.of(dst, offset), count, value);
  }

  /** Sets {@code count} 32-bit words from {@code offset} bytes on, a multiple of 4. */
  public void fill32(DeviceBuffer dst, long offset, long count, int value) {
    memory.fill32(MemoryPlace.of(dst, offset), count, value);
  }

  /** Sets {@code width} bytes of each of some rows of memory. */
  public void fill2D8(PitchedMemory dst, long width, long rows, byte value) {
    memory.fill2D8(dst, width, rows, value);
  }

  /** Sets {@code width} 16-bit words of each row; offset and pitch are multiples of 2. */
  public void fill2D16(PitchedMemory dst, long width, long rows, short value) {
    memory.fill2D16(dst, width, rows, value);
  }

  /** Sets {@code width} 32-bit words of each row; offset and pitch are multiples of 4. */
  public void fill2D32(PitchedMemory dst, long width, long rows, int value) {
    memory.fill2D32(dst, width, rows, value);
  }

  /**
   * Copies all of a segment to the device, in the order of the stream, and returns when that is
   * done. Heap memory goes by way of native memory.
   *
   * @param src native or heap memory of any alignment
   */
  public void write(MemorySegment src, DeviceBuffer dst, long dstOffset) {
    memory.write(src, dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(int[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(long[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(float[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(double[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /**
   * Fills a segment from the device, in the order of the stream, and returns when that is done.
   * Heap memory goes by way of native memory.
   *
   * @param dst native or heap memory of any alignment
   */
  public void read(DeviceBuffer src, long srcOffset, MemorySegment dst) {
    memory.read(src, srcOffset, dst);
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, int[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, long[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, float[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, double[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /**
   * Allocates device memory from the default pool, as {@link #allocate(String, long, MemoryPool)}.
   */
  public DeviceBuffer allocate(String label, long bytes) {
    return allocate(label, bytes, device.defaultMemoryPool());
  }

  /**
   * Allocates device memory in the order of this stream ({@code cuMemAllocFromPoolAsync}); its
   * contents are undefined. Waits for nothing.
   *
   * <p>Operations on this stream may use it at once. Those on another stream may once they are
   * ordered behind the allocation, by an {@link Event} recorded after this call or by waiting for
   * the stream. When it is closed it is freed in the order of this stream, behind the uses on this
   * stream without waiting for them, and once the uses on other streams are done. It keeps the
   * stream alive.
   *
   * <p>While this stream is captured, the allocation becomes a node, and the buffer is memory of
   * the graph: see {@link MemoryAllocNode#buffer()}. Closing it in the same capture, or {@link
   * #free}, adds the node that frees it.
   *
   * @param label its name in messages
   * @param bytes at least 1
   * @throws IllegalStateException if this thread captures another stream
   */
  public DeviceBuffer allocate(String label, long bytes, MemoryPool pool) {
    return memory.allocate(label, bytes, pool);
  }

  /**
   * Frees memory that a replay of a graph left allocated, in the order of this stream ({@code
   * cuMemFreeAsync}). The program orders it behind uses on other streams. The buffer stays open:
   * the next replay allocates it again.
   *
   * <p>In a capture it becomes a node. What the capture allocates must not be in use on streams
   * that were not joined before.
   *
   * @throws IllegalArgumentException if it is no memory of a graph
   * @throws IllegalStateException if it is not allocated, or freed already by this capture
   */
  public void free(DeviceBuffer buffer) {
    memory.free(buffer);
  }

  /**
   * Writes a number in the order of the stream, visible to other streams, kernels that poll and the
   * host ({@code cuStreamWriteValue32}).
   *
   * @param offset in bytes; the address is a multiple of 4
   */
  public void writeValue32(DeviceBuffer dst, long offset, int value) {
    memory.writeValue32(MemoryPlace.of(dst, offset), value);
  }

  /** As {@link #writeValue32(DeviceBuffer, long, int)}, to page-locked host memory. */
  public void writeValue32(HostBuffer dst, long offset, int value) {
    memory.writeValue32(MemoryPlace.of(dst, offset), value);
  }

  /** As {@link #writeValue32(DeviceBuffer, long, int)}, with 64 bits at a multiple of 8. */
  public void writeValue64(DeviceBuffer dst, long offset, long value) {
    memory.writeValue64(MemoryPlace.of(dst, offset), value);
  }

  /** As {@link #writeValue32(DeviceBuffer, long, int)}, with 64 bits of page-locked host memory. */
  public void writeValue64(HostBuffer dst, long offset, long value) {
    memory.writeValue64(MemoryPlace.of(dst, offset), value);
  }

  /**
   * Lets the work issued from now on wait until a number in memory meets a condition ({@code
   * cuStreamWaitValue32}). If it never does, the stream never goes on.
   *
   * @param offset in bytes; the address is a multiple of 4
   */
  public void waitValue32(DeviceBuffer src, long offset, int value, WaitCondition condition) {
    memory.waitValue32(MemoryPlace.of(src, offset), value, condition);
  }

  /**
   * As {@link #waitValue32(DeviceBuffer, long, int, WaitCondition)}, in page-locked host memory.
   */
  public void waitValue32(HostBuffer src, long offset, int value, WaitCondition condition) {
    memory.waitValue32(MemoryPlace.of(src, offset), value, condition);
  }

  /** As {@link #waitValue32(DeviceBuffer, long, int, WaitCondition)}, with 64 bits. */
  public void waitValue64(DeviceBuffer src, long offset, long value, WaitCondition condition) {
    memory.waitValue64(MemoryPlace.of(src, offset), value, condition);
  }

  /** As {@link #waitValue64(DeviceBuffer, long, long, WaitCondition)}, in host memory. */
  public void waitValue64(HostBuffer src, long offset, long value, WaitCondition condition) {
    memory.waitValue64(MemoryPlace.of(src, offset), value, condition);
  }

  /** Issues a launch. Allocates nothing on the Java heap, except in a capture. */
  public void launch(PreparedLaunch launch) {
    clock.lock();
    try {
      long ticket = begin();
      launch.use(handle, ticket);
      Capture current = capture;
      launch.checkAllocated(this, current);
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
    } finally {
      clock.unlock();
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
      if (capture == null && access != null) {
        access.issue(operation, declared.stream().map(use -> use.declared(operation)).toList());
      }
      work.run();
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

  /**
   * Runs a Java function behind the work issued so far; the work issued after it waits for it. In a
   * capture it becomes a node, which calls the function at each replay. See {@link HostFunction}
   * for what the function may do.
   */
  public void launchHost(HostFunction function) {
    launchHost("host function on " + label(), function);
  }

  /**
   * As {@link #launchHost(HostFunction)}.
   *
   * @param name the function's name in messages
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
      } else if (access != null) {
        host.runsAfter(access.point());
      }
      StreamCalls.launchHost(context, handle, host);
    } finally {
      clock.unlock();
      // It lives on until it has run, or as long as a graph has it.
      host.close();
    }
  }

  /** Issues a replay, see {@link GraphExec#replay}; the lock of the graph is held. */
  void replay(GraphExec exec) {
    clock.lock();
    try {
      long ticket = begin();
      exec.handle().markUse(clock, ticket);
      orderUseBeforeCheck();
      exec.handle().checkOpen();
      refuseInCapture(exec, "replayed");
      exec.checkFresh();
      StreamAccess checked = access;
      if (checked != null) {
        checkedReplay(exec, checked);
      } else {
        exec.launch(handle);
      }
    } finally {
      clock.unlock();
    }
  }

  private void checkedReplay(GraphExec exec, StreamAccess checked) {
    exec.checkReplay(checked);
    boolean issued = false;
    try {
      exec.launch(handle);
      issued = true;
    } finally {
      if (!issued) {
        checked.withdraw();
      }
    }
    exec.replayIssued(checked);
  }

  /** Issues an upload, see {@link GraphExec#upload}; the lock of the graph is held. */
  void upload(GraphExec exec) {
    clock.lock();
    try {
      use(exec.handle(), begin());
      refuseInCapture(exec, "uploaded");
      exec.checkFresh();
      GraphCalls.upload(context, exec.handle(), handle);
    } finally {
      clock.unlock();
    }
  }

  /** Makes an executable graph and uploads it, as one operation. */
  GraphExec instantiate(Supplier<GraphExec> make) {
    clock.lock();
    try {
      long ticket = begin();
      if (capture != null) {
        throw new IllegalStateException(
            "A graph cannot be uploaded on stream '%s' while the stream is captured."
                .formatted(label()));
      }
      GraphExec exec = make.get();
      exec.handle().markUse(clock, ticket);
      return exec;
    } finally {
      clock.unlock();
    }
  }

  private void refuseInCapture(GraphExec exec, String done) {
    if (capture != null) {
      throw new IllegalStateException(
          "Graph '%s' cannot be %s on stream '%s' while the stream is captured."
              .formatted(exec.label(), done, label()));
    }
  }

  /** Sets an event behind the work issued so far. */
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
   * Lets the work issued from now on wait for an event. An event recorded in a capture draws this
   * stream into the capture, as {@link Capture#fork} does.
   *
   * @throws IllegalStateException if one of the stream and the event is captured and the other is
   *     not, or not by the same capture
   */
  public void waitFor(Event event) {
    Event.Captured where = event.captured();
    clock.lock();
    try {
      Capture.checkWait(this, capture, event, where);
      use(event.handle(), begin());
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
    }
  }

  /** Waits until all work issued so far is done. */
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

  /** Whether all work issued so far is done. */
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

  /** Captures a graph, labelled after the stream; see {@link #capture(String, CaptureBody)}. */
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
    return Capture.run(this, label, body).checkedOrClosed();
  }

  void beginCapture(Capture begun) {
    clock.lock();
    try {
      use(handle, clock.issue());
      StreamCalls.beginCapture(context, handle);
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
    Capture current = capture;
    if (current != null) {
      current.checkThread(this);
      current.operationBegins(this);
      current.order().advance(this);
    }
    long ticket = clock.issue();
    use(handle, ticket);
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
  public String toString() {
    return "Stream '" + label() + "'";
  }
}
