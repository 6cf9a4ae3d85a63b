package dev.reprise.cuda;

import dev.reprise.cuda.ownership.CallbackThread;
import dev.reprise.cuda.ownership.HandleNode;
import dev.reprise.cuda.ownership.StreamClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
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

  /** Largest piece in which heap memory is copied by way of native memory. */
  private static final long STAGING_BYTES = 1 << 20;

  private final Device device;
  private final Context context;
  private final StreamHandle handle;
  private final StreamClock clock;
  private final AtomicInteger captures = new AtomicInteger();

  /** The capture it takes part in; written by the capturing thread. */
  private volatile @Nullable Capture capture;

  Stream(Device device, StreamHandle handle) {
    this.device = device;
    this.context = device.context();
    this.handle = handle;
    this.clock = handle.clock();
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
      PinnedBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    String what = "Stream.copyToDevice";
    src.handle().checkRange(what, srcOffset, bytes);
    dst.handle().checkRange(what, dstOffset, bytes);
    MemorySegment source = MemorySegment.ofAddress(src.handle().address() + srcOffset);
    clock.lock();
    try {
      long ticket = begin();
      use(src.handle(), ticket);
      use(dst.handle(), ticket);
      Capture current = capture;
      if (current != null) {
        CaptureLedger ledger = current.ledger();
        ledger.pointer(what, 0, dst, dst.handle(), dstOffset, Access.WRITE);
        ledger.pointer(what, 1, src, src.handle(), srcOffset, Access.READ);
      }
      MemoryCalls.copyToDevice(context, dst.handle().address() + dstOffset, source, bytes, handle);
    } finally {
      clock.unlock();
    }
  }

  /** Copies device memory to page-locked host memory. */
  public void copyToHost(
      DeviceBuffer src, long srcOffset, PinnedBuffer dst, long dstOffset, long bytes) {
    String what = "Stream.copyToHost";
    src.handle().checkRange(what, srcOffset, bytes);
    dst.handle().checkRange(what, dstOffset, bytes);
    MemorySegment target = MemorySegment.ofAddress(dst.handle().address() + dstOffset);
    clock.lock();
    try {
      long ticket = begin();
      use(src.handle(), ticket);
      use(dst.handle(), ticket);
      Capture current = capture;
      if (current != null) {
        CaptureLedger ledger = current.ledger();
        ledger.pointer(what, 0, dst, dst.handle(), dstOffset, Access.WRITE);
        ledger.pointer(what, 1, src, src.handle(), srcOffset, Access.READ);
      }
      MemoryCalls.copyToHost(context, target, src.handle().address() + srcOffset, bytes, handle);
    } finally {
      clock.unlock();
    }
  }

  /** Copies device memory to device memory; the ranges must not overlap. */
  public void copy(DeviceBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    String what = "Stream.copy";
    src.handle().checkRange(what, srcOffset, bytes);
    dst.handle().checkRange(what, dstOffset, bytes);
    clock.lock();
    try {
      long ticket = begin();
      use(src.handle(), ticket);
      use(dst.handle(), ticket);
      Capture current = capture;
      if (current != null) {
        CaptureLedger ledger = current.ledger();
        ledger.pointer(what, 0, dst, dst.handle(), dstOffset, Access.WRITE);
        ledger.pointer(what, 1, src, src.handle(), srcOffset, Access.READ);
      }
      MemoryCalls.copy(
          context,
          dst.handle().address() + dstOffset,
          src.handle().address() + srcOffset,
          bytes,
          handle);
    } finally {
      clock.unlock();
    }
  }

  /** Sets {@code count} bytes from {@code offset} bytes on. */
  public void fill8(DeviceBuffer dst, long offset, long count, byte value) {
    String what = "Stream.fill8";
    dst.handle().checkRange(what, offset, count);
    clock.lock();
    try {
      beginFill(what, dst, offset);
      MemoryCalls.fill8(context, dst.handle().address() + offset, value, count, handle);
    } finally {
      clock.unlock();
    }
  }

  /** Sets {@code count} 32-bit words from {@code offset} bytes on, a multiple of 4. */
  public void fill32(DeviceBuffer dst, long offset, long count, int value) {
    String what = "Stream.fill32";
    dst.handle().checkRange(what, offset, Math.multiplyExact(count, (long) Integer.BYTES));
    if (offset % Integer.BYTES != 0) {
      throw new IllegalArgumentException(
          "%s: offset %d in buffer '%s' is not a multiple of 4."
              .formatted(what, offset, dst.label()));
    }
    clock.lock();
    try {
      beginFill(what, dst, offset);
      MemoryCalls.fill32(context, dst.handle().address() + offset, value, count, handle);
    } finally {
      clock.unlock();
    }
  }

  private void beginFill(String what, DeviceBuffer dst, long offset) {
    long ticket = begin();
    use(dst.handle(), ticket);
    Capture current = capture;
    if (current != null) {
      current.ledger().pointer(what, 0, dst, dst.handle(), offset, Access.WRITE);
    }
  }

  /**
   * Copies all of a segment to the device, in the order of the stream, and returns when that is
   * done. Heap memory goes by way of native memory.
   *
   * @param src native or heap memory of any alignment
   */
  public void write(MemorySegment src, DeviceBuffer dst, long dstOffset) {
    String what = "Stream.write to '" + dst.label() + "'";
    Capture.refuse(what);
    dst.handle().checkRange(what, dstOffset, src.byteSize());
    if (src.byteSize() == 0) {
      dst.handle().checkOpen();
      return;
    }
    if (src.isNative()) {
      writeNative(src, dst, dstOffset);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment staging = arena.allocate(Math.min(STAGING_BYTES, src.byteSize()));
      for (long done = 0; done < src.byteSize(); ) {
        long bytes = Math.min(staging.byteSize(), src.byteSize() - done);
        MemorySegment.copy(src, done, staging, 0, bytes);
        writeNative(staging.asSlice(0, bytes), dst, dstOffset + done);
        done += bytes;
      }
    }
  }

  private void writeNative(MemorySegment src, DeviceBuffer dst, long dstOffset) {
    clock.lock();
    try {
      use(dst.handle(), begin());
      MemoryCalls.copyToDevice(
          context, dst.handle().address() + dstOffset, src, src.byteSize(), handle);
    } finally {
      clock.unlock();
    }
    await();
  }

  /**
   * Fills a segment from the device, in the order of the stream, and returns when that is done.
   * Heap memory goes by way of native memory.
   *
   * @param dst native or heap memory of any alignment
   */
  public void read(DeviceBuffer src, long srcOffset, MemorySegment dst) {
    String what = "Stream.read of '" + src.label() + "'";
    Capture.refuse(what);
    src.handle().checkRange(what, srcOffset, dst.byteSize());
    if (dst.isReadOnly()) {
      throw new IllegalArgumentException(what + ": the target segment is read-only.");
    }
    if (dst.byteSize() == 0) {
      src.handle().checkOpen();
      return;
    }
    if (dst.isNative()) {
      readNative(src, srcOffset, dst);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment staging = arena.allocate(Math.min(STAGING_BYTES, dst.byteSize()));
      for (long done = 0; done < dst.byteSize(); ) {
        long bytes = Math.min(staging.byteSize(), dst.byteSize() - done);
        readNative(src, srcOffset + done, staging.asSlice(0, bytes));
        MemorySegment.copy(staging, 0, dst, done, bytes);
        done += bytes;
      }
    }
  }

  private void readNative(DeviceBuffer src, long srcOffset, MemorySegment dst) {
    clock.lock();
    try {
      use(src.handle(), begin());
      MemoryCalls.copyToHost(
          context, dst, src.handle().address() + srcOffset, dst.byteSize(), handle);
    } finally {
      clock.unlock();
    }
    await();
  }

  /** Issues a launch. Allocates nothing on the Java heap, except in a capture. */
  public void launch(PreparedLaunch launch) {
    clock.lock();
    try {
      long ticket = begin();
      launch.use(handle, ticket);
      Capture current = capture;
      if (current != null) {
        launch.capture(current.ledger());
      }
      HotCalls calls = context.hotCalls();
      context.makeCurrent();
      int code = launch.call(calls, handle);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code,
            "cuLaunchKernel",
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
      HotCalls calls = context.hotCalls();
      context.makeCurrent();
      int code = calls.launchGraph(exec.handle().value(), handle.value());
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuGraphLaunch", "graph", exec.label(), "stream", label());
      }
    } finally {
      clock.unlock();
    }
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
      checkCapture(event, where);
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
      }
    } finally {
      clock.unlock();
    }
  }

  private void checkCapture(Event event, Event.@Nullable Captured where) {
    Capture mine = capture;
    if (where == null) {
      if (mine != null) {
        throw new IllegalStateException(
            "Stream '%s' is captured and cannot wait for event '%s', which was not recorded in the capture."
                .formatted(label(), event.label()));
      }
      return;
    }
    if (where.capture().isOver()) {
      throw new IllegalStateException(
          "Event '%s' was last recorded in the capture of stream '%s', which is over. Record it again before stream '%s' waits for it."
              .formatted(event.label(), where.capture().origin().label(), label()));
    }
    where.capture().checkThread(this);
    if (mine != null && mine != where.capture()) {
      throw new IllegalStateException(
          "Stream '%s' and event '%s' belong to different captures."
              .formatted(label(), event.label()));
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

  private void await() {
    long ticket = clock.issued();
    handle.retain();
    try {
      StreamCalls.synchronize(context, handle.value(), label());
      clock.completedTo(ticket);
    } finally {
      handle.release();
    }
  }

  /** Whether all work issued so far is done. */
  public boolean isComplete() {
    refuseToWait("Stream.isComplete");
    handle.retain();
    try {
      return StreamCalls.isComplete(context, handle);
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
    return Capture.run(this, label, body);
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
  private long begin() {
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

  private void use(HandleNode node, long ticket) {
    node.markUse(clock, ticket);
    orderUseBeforeCheck();
    node.checkOpen();
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
