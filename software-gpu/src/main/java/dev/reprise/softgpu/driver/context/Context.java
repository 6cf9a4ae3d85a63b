package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.memory.MemoryPool;
import dev.reprise.softgpu.driver.operation.ExecutionFault;
import dev.reprise.softgpu.driver.operation.LoadedImage;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.queue.FaultScope;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.DeviceFault;
import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.engine.KernelResources;
import dev.reprise.softgpu.engine.exec.DeviceHeap;
import dev.reprise.softgpu.engine.exec.FaultPlace;
import dev.reprise.softgpu.rules.OpenRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A context ({@code CUcontext}): owns streams, events, modules and memory of one device. A fault of
 * asynchronous work poisons it: its queues skip what they hold, and every later call answers with
 * the code of the fault until the context is destroyed. Thread-safe.
 */
public final class Context extends Handled implements FaultScope {

  /** {@code CU_STREAM_NON_BLOCKING}. */
  public static final int STREAM_NON_BLOCKING = 1;

  private static final Logger LOG = LoggerFactory.getLogger(Context.class);

  private final Handles handles;
  private final Device device;
  private final Captures captures;
  private volatile int flags;
  private volatile int cacheConfig;
  private final ContextLimits limits = new ContextLimits();
  private final DeviceHeap heap;
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private final Set<Event> events = ConcurrentHashMap.newKeySet();
  private final Set<LoadedImage> images = ConcurrentHashMap.newKeySet();
  private final Stream legacy;

  /** What all streams have been told to wait for, and those made later have to. */
  private final List<Marker> delays = new ArrayList<>();

  /** Where work goes that waits for all streams; guarded by {@link #delays}. */
  private @Nullable Stream gathering;

  private final AtomicReference<Result> result = new AtomicReference<>(Result.SUCCESS);
  private volatile boolean destroyed;

  Context(Handles handles, Device device, Captures captures, int flags) {
    super(handles, HandleKind.CONTEXT);
    this.handles = handles;
    this.device = device;
    this.captures = captures;
    this.flags = flags;
    this.heap = new DeviceHeap(device.memory().space(), KernelResources.HEAP_BYTES);
    this.legacy = new Stream(handles, this, Stream.Role.LEGACY, 0, 0);
    streams.add(legacy);
  }

  public Device device() {
    return device;
  }

  public Captures captures() {
    return captures;
  }

  public int flags() {
    return flags;
  }

  /** Sets the flags in place of those it was made with. */
  public void flags(int changed) {
    flags = changed;
  }

  /** The preferred division of caches ({@code CUfunc_cache}), kept for those who ask. */
  public int cacheConfig() {
    return cacheConfig;
  }

  public void cacheConfig(int config) {
    cacheConfig = config;
  }

  public ContextLimits limits() {
    return limits;
  }

  /** Changes a limit, for kernels that are launched from now on. */
  public void limit(int limit, long value) {
    limits.set(limit, value);
    if (limit == ContextLimits.HEAP_BYTES) {
      heap.limit(value);
    }
  }

  /**
   * What a kernel may take that is about to be launched. The limits that it depends on stay as they
   * are from now on.
   */
  public KernelResources resourcesFor(KernelCode code) {
    if (code.calls("malloc") || code.calls("free")) {
      limits.settle(ContextLimits.HEAP_BYTES);
    }
    if (code.calls("vprintf")) {
      limits.settle(ContextLimits.PRINT_BYTES);
    }
    return new KernelResources(heap, (int) limits.get(ContextLimits.STACK_BYTES));
  }

  /** The legacy default stream. */
  public Stream legacy() {
    return legacy;
  }

  /** The pool of stream-ordered allocations that name none. */
  public MemoryPool pool() {
    return device.currentPool();
  }

  /** True once {@link #destroy} was called. */
  public boolean destroyed() {
    return destroyed;
  }

  /** {@code SUCCESS}, or what poisoned the context. */
  public Result result() {
    return Objects.requireNonNull(result.get());
  }

  /** Fails with the code that poisoned the context, if one did. */
  public void checkHealthy() {
    Result current = result();
    if (current != Result.SUCCESS) {
      throw new CudaFailure(current, this + " is unusable since an earlier fault");
    }
  }

  @Override
  public boolean failed() {
    return result.get() != Result.SUCCESS;
  }

  @Override
  public boolean ending() {
    return failed() || destroyed;
  }

  @Override
  public void fail(Work work, Throwable fault) {
    Result code =
        switch (fault) {
          case DeviceFault deviceFault -> code(deviceFault);
          case ExecutionFault executionFault -> executionFault.result();
          default -> Result.UNKNOWN;
        };
    String what = work instanceof Operation operation ? operation.describe() : work.toString();
    device.tracing().fault(work, fault);
    if (code != Result.UNKNOWN) {
      poison(code, what, String.valueOf(fault.getMessage()));
    } else if (lose(code, "the driver failed: " + fault)) {
      LOG.error("{} in {}: the driver failed; every later call answers so", what, this, fault);
    }
  }

  private Result code(DeviceFault fault) {
    FaultPlace place = fault.place();
    if (place != null
        && place.what().equals("trap")
        && captures.rules().takesSecond(OpenRule.TRAP)) {
      return Result.ILLEGAL_INSTRUCTION;
    }
    Result known = Result.of(fault.cudaError());
    return known == null ? Result.UNKNOWN : known;
  }

  /**
   * Makes every later call answer with a code, unless an earlier fault did.
   *
   * @param what the work that failed
   * @param why what is wrong with it
   */
  void poison(Result code, String what, String why) {
    if (lose(code, why)) {
      LOG.error(
          "{} in {}: {} ({}). Every later call of the context answers {}.",
          what,
          this,
          why,
          code.text(),
          code.constant());
    }
  }

  /** Poisons the context; who sees the code can ask the device why. */
  private boolean lose(Result code, String why) {
    synchronized (result) {
      if (failed()) {
        return false;
      }
      device.faulted(code, why);
      result.set(code);
      return true;
    }
  }

  /** Makes a stream. */
  public Stream createStream(int streamFlags, int priority) {
    return handles.publish(
        add(new Stream(handles, this, Stream.Role.CREATED, streamFlags, priority)));
  }

  Stream createThreadStream() {
    return add(new Stream(handles, this, Stream.Role.PER_THREAD, 0, 0));
  }

  private Stream add(Stream stream) {
    synchronized (delays) {
      delays.removeIf(Marker::settled);
      if (!delays.isEmpty()) {
        stream.submit(() -> {}, List.copyOf(delays));
      }
      streams.add(stream);
    }
    return stream;
  }

  /** Has all work of the context that is submitted from now on wait for a position. */
  public void delayAll(Marker position) {
    synchronized (delays) {
      delays.removeIf(Marker::settled);
      delays.add(position);
      streams.forEach(stream -> stream.submit(() -> {}, List.of(position)));
    }
  }

  /** Puts work behind all that the streams of the context hold now; nothing waits for it. */
  Marker submitBehindAll(Work work) {
    synchronized (delays) {
      Stream own = gathering;
      if (own == null) {
        own = new Stream(handles, this, Stream.Role.CREATED, STREAM_NON_BLOCKING, 0);
        gathering = own;
      }
      List<Marker> ends = streams.stream().map(Stream::tail).toList();
      return own.submit(work, ends);
    }
  }

  /** Forgets a stream; the work that it holds is still done. */
  public void destroyStream(Stream stream) {
    handles.remove(stream);
    streams.remove(stream);
    stream.close();
  }

  /** Makes an event. */
  public Event createEvent(boolean timing) {
    Event event = new Event(handles, this, timing);
    events.add(event);
    return handles.publish(event);
  }

  /** Forgets an event. */
  public void destroyEvent(Event event) {
    handles.remove(event);
    events.remove(event);
  }

  /** Takes a loaded module in. */
  public LoadedImage addImage(LoadedImage image) {
    images.add(image);
    return handles.publish(image);
  }

  /** Unloads a module once nothing runs any more. */
  public void unload(LoadedImage image) {
    handles.remove(image);
    images.remove(image);
    drain();
    image.unload(handles);
  }

  /**
   * The positions that work on a blocking stream waits for by the rules of the legacy stream:
   * there, the ends of all blocking streams; elsewhere, the end of the legacy stream.
   */
  List<Marker> implicitDependencies(Stream stream, List<Marker> after) {
    if (stream.role() != Stream.Role.LEGACY) {
      Marker tail = legacy.tail();
      if (tail.settled()) {
        return after;
      }
      List<Marker> all = new ArrayList<>(after);
      all.add(tail);
      return all;
    }
    List<Marker> all = new ArrayList<>(after);
    for (Stream other : streams) {
      if (other != stream && other.blocking() && !other.tail().settled()) {
        all.add(other.tail());
      }
    }
    return all;
  }

  /** Waits for all blocking streams, as waiting for the legacy stream does. */
  public void awaitBlockingStreams() {
    streams.stream().filter(Stream::blocking).forEach(stream -> stream.tail().awaitOnHost());
  }

  /** True when nothing is queued or running on any blocking stream. */
  public boolean blockingStreamsAreIdle() {
    return streams.stream().filter(Stream::blocking).allMatch(Stream::idle);
  }

  /** Waits for all that was submitted to any stream so far. */
  public void drain() {
    for (Stream stream : streams) {
      stream.tail().awaitOnHost();
    }
    synchronized (delays) {
      if (gathering != null) {
        gathering.tail().awaitOnHost();
      }
    }
    device.engine().output().flush();
  }

  /** Waits for all work and frees all that belongs to the context. Idempotent. */
  public synchronized void destroy() {
    if (destroyed) {
      return;
    }
    destroyed = true;
    captures.abandon(this);
    drain();
    streams.forEach(this::destroyStream);
    synchronized (delays) {
      if (gathering != null) {
        gathering.close();
      }
    }
    events.forEach(this::destroyEvent);
    images.forEach(image -> {
      handles.remove(image);
      image.unload(handles);
    });
    images.clear();
    device.tracing().leaked(device.memory().ownedBy(this));
    device.memory().freeAll(this);
    heap.clear();
    handles.remove(this);
  }
}
