package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A CUDA device with its primary context, from which everything else is made.
 *
 * <p>Closing it while objects made from it are open is allowed: they go on working, and the context
 * is released with the last of them. Two devices opened for one ordinal share the primary context
 * and may use each other's objects.
 *
 * <p><b>Threads:</b> any thread, virtual ones included, may call any method; the context is made
 * current for each driver call. <b>Capture:</b> methods that allocate, load or wait are refused
 * with an {@link IllegalStateException} on a thread that is capturing. <b>Errors:</b> a driver call
 * that fails throws {@link CudaException} and creates nothing.
 *
 * <p>See CUDA Driver API, "Device Management" and "Primary Context Management".
 */
public final class Device extends DeviceAllocations implements AutoCloseable {

  private final DeviceHandle handle;
  private final Context context;
  private final AtomicInteger names = new AtomicInteger();

  private Device(DeviceHandle handle) {
    this.handle = handle;
    this.context = handle.context();
  }

  /** How many devices the driver has ({@code cuDeviceGetCount}). */
  public static int count() {
    DeviceCalls.initialise();
    return DeviceCalls.count();
  }

  /**
   * Retains the primary context of a device, with {@link Diagnostics#standard()} ({@code
   * cuDevicePrimaryCtxRetain}).
   *
   * @param ordinal 0 up to {@link #count()} − 1
   */
  public static Device open(int ordinal) {
    return open(ordinal, Diagnostics.standard());
  }

  /**
   * Retains the primary context of a device.
   *
   * @param ordinal 0 up to {@link #count()} − 1
   * @param diagnostics what is kept about each object made from this device, and where leaks and
   *     failures of cleanup are reported
   */
  public static Device open(int ordinal, Diagnostics diagnostics) {
    return open(ordinal, diagnostics, HotCalls.DRIVER);
  }

  static Device open(int ordinal, Diagnostics diagnostics, HotCalls hotCalls) {
    Capture.refuse("Device.open");
    DeviceCalls.initialise();
    int device = DeviceCalls.get(ordinal);
    MemorySegment primary = DeviceCalls.retainPrimaryContext(device);
    Context context = new Context(ordinal, primary, diagnostics, hotCalls);
    DeviceHandle handle;
    try {
      DeviceMemory memory = DeviceMemory.open(context, device);
      handle = new DeviceHandle("device-" + ordinal, context, device, memory);
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> DeviceCalls.releasePrimaryContext(device));
      throw e;
    }
    Device facade = new Device(handle);
    handle.watch(facade);
    return facade;
  }

  /**
   * The driver's {@code CUcontext}, for calls that the runtime does not have. Borrowed: the primary
   * context is good while the device is open and reachable; see {@linkplain dev.reprise.cuda raw
   * handles}.
   *
   * @throws IllegalStateException if the device is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return context.handle();
  }

  /** The number by which it was opened. */
  public int ordinal() {
    return context.ordinal();
  }

  /** The name that the driver gives it, such as {@code NVIDIA H200} ({@code cuDeviceGetName}). */
  public String name() {
    handle.checkOpen();
    return DeviceCalls.name(handle.device());
  }

  /** Bytes of device memory ({@code cuDeviceTotalMem}). */
  public long totalMemoryBytes() {
    handle.checkOpen();
    return DeviceCalls.totalMemory(handle.device());
  }

  /** The memory that graphs allocate. */
  public GraphMemory graphMemory() {
    handle.checkOpen();
    return new GraphMemory(this);
  }

  /**
   * Free and total memory now ({@code cuMemGetInfo}); what was closed may still be held by the
   * device's memory pool.
   */
  public MemoryInfo memoryInfo() {
    handle.checkOpen();
    return MemoryCalls.info(context);
  }

  /** One property as a number ({@code cuDeviceGetAttribute}). */
  public int attribute(DeviceAttribute attribute) {
    handle.checkOpen();
    return DeviceCalls.attribute(handle.device(), attribute);
  }

  /** The compute capability. */
  public ComputeCapability computeCapability() {
    return new ComputeCapability(
        attribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR),
        attribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR));
  }

  /** The number of multiprocessors. */
  public int multiprocessorCount() {
    return attribute(DeviceAttribute.MULTIPROCESSOR_COUNT);
  }

  /** The CUDA version of the driver, as 1000 × major + 10 × minor ({@code cuDriverGetVersion}). */
  public int driverVersion() {
    handle.checkOpen();
    return DeviceCalls.driverVersion();
  }

  /** The unique identifier, as {@code GPU-} and a UUID ({@code cuDeviceGetUuid}). */
  public String uuid() {
    handle.checkOpen();
    return DeviceCalls.uuid(handle.device());
  }

  /**
   * Where it sits on the PCI bus, as {@code domain:bus:device.function} in hexadecimal, such as
   * {@code 0000:3b:00.0} ({@code cuDeviceGetPCIBusId}); what {@code nvidia-smi} and the operating
   * system call it.
   */
  public String pciBusId() {
    handle.checkOpen();
    return DeviceCalls.pciBusId(handle.device());
  }

  /**
   * Whether kernels on this device could reach the memory of another ({@code
   * cuDeviceCanAccessPeer}), see {@link #enablePeerAccess}; a device is no peer of itself.
   */
  public boolean canAccessPeer(Device other) {
    handle.checkOpen();
    other.handle.checkOpen();
    return DeviceCalls.canAccessPeer(handle.device(), other.handle.device());
  }

  /**
   * Lets kernels on this device access memory of another ({@code cuCtxEnablePeerAccess}, and {@code
   * cuMemPoolSetAccess} for the default pool there), until the result is closed: what {@link
   * #allocate} and, from the default pool, {@link Stream#allocate} give, and variables.
   *
   * @throws CudaException with {@code CUDA_ERROR_PEER_ACCESS_UNSUPPORTED} if {@link #canAccessPeer}
   *     says no, with {@code CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED} if it was enabled before and
   *     has not ended
   */
  public PeerAccess enablePeerAccess(Device peer) {
    peer.handle.checkOpen();
    return enablePeerAccess(peer, () -> PeerAccessHandle.enable(handle, peer.handle));
  }

  /**
   * Lets kernels on this device access the memory of a pool of another ({@code
   * cuMemPoolSetAccess}), allocated before or later, until the result is closed.
   *
   * @throws IllegalArgumentException for a default pool, which {@link #enablePeerAccess(Device)}
   *     opens, and for a pool of this device
   * @throws IllegalStateException if it was enabled before and has not ended
   */
  public PeerAccess enablePeerAccess(MemoryPool pool) {
    pool.checkOpen();
    MemoryPoolHandle owned = pool.handle();
    if (owned == null) {
      throw new IllegalArgumentException(
          "The default pool of device %d is opened by enablePeerAccess of the device."
              .formatted(pool.device().ordinal()));
    }
    checkOther(pool.device(), "MemoryPool", pool.label());
    return enablePeerAccess(pool.device(), () -> PeerAccessHandle.enable(handle, owned));
  }

  /**
   * Lets kernels on this device access a virtual range of another ({@code cuMemSetAccess}), mapped
   * before or later, until the result is closed.
   *
   * @throws IllegalArgumentException for a range of this device
   * @throws IllegalStateException if it was enabled before and has not ended
   */
  public PeerAccess enablePeerAccess(VirtualRange range) {
    range.handle().checkOpen();
    checkOther(range.device(), "VirtualRange", range.label());
    return enablePeerAccess(range.device(), () -> PeerAccessHandle.enable(handle, range.handle()));
  }

  private void checkOther(Device peer, String kind, String label) {
    if (peer.ordinal() == ordinal()) {
      throw new IllegalArgumentException(
          "%s '%s' is of device %d itself, which can always access it."
              .formatted(kind, label, ordinal()));
    }
  }

  private PeerAccess enablePeerAccess(Device peer, Supplier<PeerAccessHandle> enable) {
    Capture.refuse("Device.enablePeerAccess");
    handle.checkOpen();
    context.retirement().drain();
    PeerAccessHandle access = enable.get();
    PeerAccess facade = new PeerAccess(this, peer, access);
    access.watch(facade);
    return facade;
  }

  /** A non-blocking stream of default priority ({@code cuStreamCreateWithPriority}). */
  public Stream createStream(String label) {
    return createStream(label, 0);
  }

  /**
   * A non-blocking stream.
   *
   * @param label its name in messages
   * @param priority lower runs first; the driver clamps it to the range that the device has
   */
  public Stream createStream(String label, int priority) {
    handle.checkOpen();
    StreamHandle stream =
        HandleNode.under(
            handle, () -> new StreamHandle(label, handle, StreamCalls.create(context, priority)));
    Stream facade = new Stream(this, stream);
    stream.watch(facade);
    return facade;
  }

  /** An event without timing, the cheap kind ({@code cuEventCreate}). */
  public Event createEvent() {
    return createEvent("event-" + names.incrementAndGet());
  }

  /** An event without timing, the cheap kind. */
  public Event createEvent(String label) {
    return createEvent(label, EventOptions.STANDARD);
  }

  /** An event whose time can be read by {@link Event#elapsedMillis} ({@code cuEventCreate}). */
  public Event createTimingEvent() {
    return createTimingEvent("timing-event-" + names.incrementAndGet());
  }

  /** An event whose time can be read by {@link Event#elapsedMillis}. */
  public Event createTimingEvent(String label) {
    return createEvent(label, EventOptions.STANDARD.withTiming());
  }

  /** An event of a kind ({@code cuEventCreate}). */
  public Event createEvent(String label, EventOptions options) {
    handle.checkOpen();
    return newEvent(label, options);
  }

  /** As {@link #createEvent}, also on a closed device that lives on in its children. */
  Event newEvent(String label, EventOptions options) {
    EventHandle event =
        HandleNode.under(
            handle,
            () -> new EventHandle(label, handle, EventCalls.create(context, options), options));
    Event facade = new Event(this, event);
    event.watch(facade);
    return facade;
  }

  /**
   * Takes over memory of another driver of this device ({@code cuImportExternalMemory}), on Linux.
   *
   * @param label its name in messages
   * @param descriptor what that driver exported; it belongs to the CUDA driver from now on, and
   *     stays the program's only if this call fails
   * @param bytes how many it is, at least 1
   * @throws CudaException with {@code CUDA_ERROR_INVALID_VALUE} if it is no such descriptor
   */
  public ExternalMemory importMemory(String label, int descriptor, long bytes) {
    Capture.refuse("Device.importMemory('" + label + "')");
    handle.checkOpen();
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "ExternalMemory '%s' cannot have %d bytes.".formatted(label, bytes));
    }
    context.retirement().drain();
    ExternalMemoryHandle memory =
        HandleNode.under(
            handle,
            () ->
                new ExternalMemoryHandle(
                    label,
                    handle,
                    ExternalMemoryCalls.importDescriptor(context, label, descriptor, bytes),
                    bytes));
    ExternalMemory facade = new ExternalMemory(this, memory);
    memory.watch(facade);
    return facade;
  }

  /**
   * Takes over a semaphore of another driver of this device ({@code cuImportExternalSemaphore}).
   *
   * @param label its name in messages
   * @param descriptor what that driver exported; it belongs to the CUDA driver from now on, and
   *     stays the program's only if this call fails
   * @throws CudaException with {@code CUDA_ERROR_INVALID_VALUE} if it is no such descriptor
   */
  public ExternalSemaphore importSemaphore(
      String label, ExternalSemaphoreKind kind, int descriptor) {
    Capture.refuse("Device.importSemaphore('" + label + "')");
    handle.checkOpen();
    context.retirement().drain();
    ExternalSemaphoreHandle semaphore =
        HandleNode.under(
            handle,
            () ->
                new ExternalSemaphoreHandle(
                    label,
                    handle,
                    SemaphoreCalls.importDescriptor(context, label, kind, descriptor)));
    ExternalSemaphore facade = new ExternalSemaphore(this, kind, semaphore);
    semaphore.watch(facade);
    return facade;
  }

  /**
   * The priorities that {@link #createStream(String, int)} takes ({@code
   * cuCtxGetStreamPriorityRange}).
   */
  public PriorityRange streamPriorityRange() {
    handle.checkOpen();
    return ContextCalls.priorityRange(context);
  }

  /** A limit of the context ({@code cuCtxGetLimit}). */
  public long limit(DeviceLimit limit) {
    handle.checkOpen();
    return ContextCalls.limit(context, limit);
  }

  /**
   * Asks for another limit ({@code cuCtxSetLimit}); the driver may round it, see {@link #limit}.
   *
   * @throws CudaException with {@code CUDA_ERROR_UNSUPPORTED_LIMIT} if the device has no such limit
   */
  public void setLimit(DeviceLimit limit, long value) {
    Capture.refuse("Device.setLimit(" + limit + ")");
    handle.checkOpen();
    if (value < 0) {
      throw new IllegalArgumentException("Limit %s cannot be %d.".formatted(limit, value));
    }
    ContextCalls.setLimit(context, limit, value);
  }

  /** How threads wait for work of the device ({@code cuDevicePrimaryCtxGetState}). */
  public HostWait hostWait() {
    handle.checkOpen();
    return DeviceCalls.hostWait(handle.device());
  }

  /**
   * Changes how threads wait for work of the device: for streams, for the device, and for events
   * without {@link EventOptions#withBlockingWait} ({@code cuDevicePrimaryCtxSetFlags}). It concerns
   * the primary context, and with it all that the process does on the device. The software GPU
   * waits in one way whatever is set.
   */
  public void setHostWait(HostWait wait) {
    handle.checkOpen();
    DeviceCalls.setHostWait(handle.device(), wait);
  }

  /** As {@link #loadModule(String, String, ModuleOptions)}, with {@link ModuleOptions#STANDARD}. */
  public CudaModule loadModule(String label, String ptx) {
    return loadModule(label, ptx, ModuleOptions.STANDARD);
  }

  /**
   * Compiles PTX for the device and loads it (CUDA Driver API, "Module Management", {@code
   * cuModuleLoadDataEx}).
   *
   * @param label its name in messages
   * @param ptx PTX source text
   * @throws ModuleLoadException with the log of the driver's compiler, if it does not load
   */
  public CudaModule loadModule(String label, String ptx, ModuleOptions options) {
    return CudaModule.load(this, label, () -> ModuleCalls.load(context, label, ptx, options));
  }

  /**
   * Loads code in any form that the driver knows: a cubin, a fat binary or PTX text.
   *
   * @param label its name in messages
   * @param image the bytes of the file
   * @throws ModuleLoadException with the log of the driver's compiler, if it does not load
   */
  public CudaModule loadModule(String label, byte[] image, ModuleOptions options) {
    return CudaModule.load(this, label, () -> ModuleCalls.load(context, label, image, options));
  }

  /** As {@link #loadLibrary(String, String, ModuleOptions)}, with the standard options. */
  public CudaLibrary loadLibrary(String label, String ptx) {
    return loadLibrary(label, ptx, ModuleOptions.STANDARD);
  }

  /**
   * Loads PTX as a library, which can be used on every device (CUDA Driver API, "Library
   * Management", {@code cuLibraryLoadData}).
   *
   * @param label its name in messages
   * @param ptx PTX source text
   * @throws ModuleLoadException with the log of the driver's compiler, if it does not load
   */
  public CudaLibrary loadLibrary(String label, String ptx, ModuleOptions options) {
    return loadLibrary(label, ptx.getBytes(StandardCharsets.UTF_8), options);
  }

  /**
   * Loads code in any form that the driver knows as a library, which can be used on every device.
   *
   * @param label its name in messages
   * @param image the bytes of a cubin, a fat binary or PTX text
   * @throws ModuleLoadException with the log of the driver's compiler, if it does not load
   */
  public CudaLibrary loadLibrary(String label, byte[] image, ModuleOptions options) {
    return CudaLibrary.load(this, label, image, options);
  }

  /**
   * Waits for all work on the device, of all streams ({@code cuCtxSynchronize}); first for a
   * capture of another thread, which the driver would break off.
   */
  public void synchronize() {
    Capture.refuse("Device.synchronize");
    handle.checkOpen();
    context.captureLock().lock();
    try {
      context.synchronize();
    } finally {
      context.captureLock().unlock();
    }
    context.retirement().drain();
  }

  /**
   * A graph with no nodes, to be built node by node ({@code cuGraphCreate}).
   *
   * @param label its name in messages
   */
  public Graph createGraph(String label) {
    handle.checkOpen();
    return Graph.empty(this, label);
  }

  /**
   * Has the profiling tool that watches the process record from here on, so that it leaves out
   * loading and warming up: Nsight with {@code --capture-range=cudaProfilerApi}, or the profiler of
   * the software GPU. Without a tool, or while one records, it has no effect. It is a mark in the
   * program and not in a stream: wait for a stream first to leave out what is enqueued there.
   *
   * <p>Named ranges (NVTX) belong to a library of their own, which needs no driver; this runtime
   * has none. See CUDA Driver API, "Profiler Control", {@code cuProfilerStart}.
   */
  public void startProfiler() {
    handle.checkOpen();
    ProfilerCalls.start(context);
  }

  /**
   * Ends what {@link #startProfiler} began; has no effect while nothing records. See CUDA Driver
   * API, "Profiler Control", {@code cuProfilerStop}.
   */
  public void stopProfiler() {
    handle.checkOpen();
    ProfilerCalls.stop(context);
  }

  /**
   * Makes a resource of the program something that graphs can keep alive ({@code
   * cuUserObjectCreate}).
   *
   * @param label its name in messages
   * @param resource is closed by a thread of the runtime, once nothing holds it; not if this call
   *     fails
   */
  public UserObject createUserObject(String label, AutoCloseable resource) {
    handle.checkOpen();
    UserObjectHandle object =
        HandleNode.under(handle, () -> UserObjectHandle.create(label, handle, resource));
    UserObject facade = new UserObject(this, object);
    object.watch(facade);
    return facade;
  }

  /** Whether {@link #close} was called; objects made from the device may keep it alive. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Lets the context go once everything made from this device is closed. */
  @Override
  public void close() {
    handle.close();
  }

  DeviceHandle handle() {
    return handle;
  }

  @Override
  DeviceHandle openHandle() {
    handle.checkOpen();
    return handle;
  }

  Context context() {
    return context;
  }

  @Override
  Device self() {
    return this;
  }

  @Override
  public String toString() {
    return "Device " + ordinal();
  }
}
