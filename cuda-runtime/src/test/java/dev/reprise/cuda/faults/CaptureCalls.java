package dev.reprise.cuda.faults;

import static dev.reprise.cuda.faults.Workbench.BYTES;

import dev.reprise.cuda.BufferOptions;
import dev.reprise.cuda.CallerContext;
import dev.reprise.cuda.CudaLibrary;
import dev.reprise.cuda.Descriptors;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceAttribute;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.DeviceLimit;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.EventOptions;
import dev.reprise.cuda.ExternalMemory;
import dev.reprise.cuda.ExternalSemaphore;
import dev.reprise.cuda.ExternalSemaphoreKind;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.HostWait;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.MemoryAllocNode;
import dev.reprise.cuda.MemoryPool;
import dev.reprise.cuda.ModuleOptions;
import dev.reprise.cuda.PinnedOptions;
import dev.reprise.cuda.PitchedMemory;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.VirtualRange;
import dev.reprise.cuda.WaitCondition;
import dev.reprise.cuda.WordOperation;
import dev.reprise.cuda.diagnostics.Diagnostics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What each public method does on the thread and stream of a capture. A new method of {@link
 * Device}, {@link Stream} or {@link Event} needs a line here.
 */
final class CaptureCalls {

  /** What becomes of a call. */
  enum Verdict {
    /** It does what it does elsewhere, or becomes a node. */
    ALLOWED,
    /** It is refused before the driver sees it. */
    REFUSED
  }

  /**
   * One method.
   *
   * @param method {@code Class.method(parameter types)}
   * @param verdict what becomes of it
   * @param names what the message of the refusal says
   * @param prepare makes what it needs, outside of the capture, and gives the call
   */
  record Call(String method, Verdict verdict, String names, Function<Workbench, Runnable> prepare) {
    @Override
    public String toString() {
      return method;
    }
  }

  private CaptureCalls() {}

  static List<Call> all() {
    return java.util.stream.Stream.of(device(), making(), copies(), values(), work(), others())
        .flatMap(List::stream)
        .toList();
  }

  private static Call allowed(String method, Consumer<Workbench> call) {
    return new Call(method, Verdict.ALLOWED, "", bench -> () -> call.accept(bench));
  }

  private static Call refused(String method, String names, Consumer<Workbench> call) {
    return new Call(method, Verdict.REFUSED, names, bench -> () -> call.accept(bench));
  }

  private static Call refused(String method, Consumer<Workbench> call) {
    return refused(method, method.substring(0, method.indexOf('(')), call);
  }

  private static List<Call> device() {
    return List.of(
        allowed("Device.count()", b -> Device.count()),
        refused("Device.open(int)", b -> Device.open(0)),
        refused("Device.open(int,Diagnostics)", b -> Device.open(0, Diagnostics.standard())),
        allowed("Device.ordinal()", b -> b.device.ordinal()),
        allowed("Device.driverHandle()", b -> b.device.driverHandle()),
        allowed("Device.name()", b -> b.device.name()),
        allowed("Device.totalMemoryBytes()", b -> b.device.totalMemoryBytes()),
        allowed("Device.memoryInfo()", b -> b.device.memoryInfo()),
        allowed(
            "Device.attribute(DeviceAttribute)",
            b -> b.device.attribute(DeviceAttribute.WARP_SIZE)),
        allowed("Device.computeCapability()", b -> b.device.computeCapability()),
        allowed("Device.multiprocessorCount()", b -> b.device.multiprocessorCount()),
        allowed("Device.driverVersion()", b -> b.device.driverVersion()),
        allowed("Device.uuid()", b -> b.device.uuid()),
        allowed("Device.pciBusId()", b -> b.device.pciBusId()),
        allowed("Device.canAccessPeer(Device)", b -> b.device.canAccessPeer(b.device)),
        allowed("Device.defaultMemoryPool()", b -> b.device.defaultMemoryPool()),
        allowed("Device.streamPriorityRange()", b -> b.device.streamPriorityRange()),
        allowed("Device.limit(DeviceLimit)", b -> b.device.limit(DeviceLimit.STACK_BYTES)),
        refused(
            "Device.setLimit(DeviceLimit,long)",
            b -> b.device.setLimit(DeviceLimit.STACK_BYTES, 4096)),
        allowed("Device.startProfiler()", b -> b.device.startProfiler()),
        allowed("Device.stopProfiler()", b -> b.device.stopProfiler()),
        allowed("Device.hostWait()", b -> b.device.hostWait()),
        allowed("Device.setHostWait(HostWait)", b -> b.device.setHostWait(HostWait.AUTO)),
        refused("Device.synchronize()", b -> b.device.synchronize()),
        allowed("Device.graphMemory()", b -> b.device.graphMemory()),
        allowed("Device.isClosed()", b -> b.device.isClosed()),
        new Call(
            "Device.close()",
            Verdict.ALLOWED,
            "",
            b -> {
              Device other = b.keep(Device.open(0));
              return other::close;
            }));
  }

  private static List<Call> making() {
    return List.of(
        allowed("Device.createStream(String)", b -> b.keep(b.device.createStream("x"))),
        allowed("Device.createStream(String,int)", b -> b.keep(b.device.createStream("x", 0))),
        allowed("Device.createEvent()", b -> b.keep(b.device.createEvent())),
        allowed("Device.createEvent(String)", b -> b.keep(b.device.createEvent("x"))),
        allowed(
            "Device.createEvent(String,EventOptions)",
            b -> b.keep(b.device.createEvent("x", EventOptions.STANDARD.withBlockingWait()))),
        allowed("Device.createTimingEvent()", b -> b.keep(b.device.createTimingEvent())),
        allowed("Device.createTimingEvent(String)", b -> b.keep(b.device.createTimingEvent("x"))),
        allowed("Device.createGraph(String)", b -> b.keep(b.device.createGraph("x"))),
        allowed(
            "Device.createUserObject(String,AutoCloseable)",
            b -> b.keep(b.device.createUserObject("x", () -> {}))),
        new Call(
            "Device.enablePeerAccess(Device)",
            Verdict.REFUSED,
            "Device.enablePeerAccess",
            b -> {
              Device peer = b.keep(Device.open(1));
              return () -> b.device.enablePeerAccess(peer);
            }),
        new Call(
            "Device.enablePeerAccess(MemoryPool)",
            Verdict.REFUSED,
            "Device.enablePeerAccess",
            b -> {
              Device peer = b.keep(Device.open(1));
              MemoryPool pool = b.keep(peer.createMemoryPool("pool"));
              return () -> b.device.enablePeerAccess(pool);
            }),
        new Call(
            "Device.enablePeerAccess(VirtualRange)",
            Verdict.REFUSED,
            "Device.enablePeerAccess",
            b -> {
              Device peer = b.keep(Device.open(1));
              VirtualRange range = b.keep(peer.reserve("range", 1));
              return () -> b.device.enablePeerAccess(range);
            }),
        refused("Device.importMemory(String,int,long)", b -> b.device.importMemory("x", 0, BYTES)),
        new Call(
            "ExternalMemory.map(String,long,long)",
            Verdict.REFUSED,
            "ExternalMemory.map of 'external'",
            b -> {
              ExternalMemory memory =
                  b.keep(b.device.importMemory("external", Descriptors.file(BYTES), BYTES));
              return () -> memory.map("x", 0, BYTES);
            }),
        refused(
            "Device.importSemaphore(String,ExternalSemaphoreKind,int)",
            b -> b.device.importSemaphore("x", ExternalSemaphoreKind.BINARY_FD, 0)),
        refused("Device.allocate(String,long)", b -> b.device.allocate("x", 4)),
        refused(
            "Device.allocate(String,long,BufferOptions)",
            b -> b.device.allocate("x", 4, BufferOptions.STANDARD)),
        refused("Device.allocatePinned(String,long)", b -> b.device.allocatePinned("x", 4)),
        refused(
            "Device.allocatePinned(String,long,PinnedOptions)",
            b -> b.device.allocatePinned("x", 4, PinnedOptions.STANDARD)),
        refused(
            "Device.register(String,MemorySegment)",
            b -> b.device.register("x", Arena.global().allocate(8))),
        refused("Device.reserve(String,long)", b -> b.device.reserve("x", 4)),
        refused("Device.createMemoryPool(String)", b -> b.device.createMemoryPool("x")),
        refused("Device.loadModule(String,String)", b -> b.device.loadModule("x", Workbench.PTX)),
        refused(
            "Device.loadModule(String,String,ModuleOptions)",
            b -> b.device.loadModule("x", Workbench.PTX, ModuleOptions.STANDARD)),
        refused(
            "Device.loadModule(String,byte[],ModuleOptions)",
            b ->
                b.device.loadModule(
                    "x", Workbench.PTX.getBytes(StandardCharsets.UTF_8), ModuleOptions.STANDARD)),
        refused("Device.loadLibrary(String,String)", b -> b.device.loadLibrary("x", Workbench.PTX)),
        refused(
            "Device.loadLibrary(String,String,ModuleOptions)",
            b -> b.device.loadLibrary("x", Workbench.PTX, ModuleOptions.STANDARD)),
        refused(
            "Device.loadLibrary(String,byte[],ModuleOptions)",
            b ->
                b.device.loadLibrary(
                    "x", Workbench.PTX.getBytes(StandardCharsets.UTF_8), ModuleOptions.STANDARD)),
        new Call(
            "CudaLibrary.on(Device)",
            Verdict.REFUSED,
            "CudaLibrary.on",
            b -> {
              CudaLibrary library = b.keep(b.device.loadLibrary("library", Workbench.PTX));
              return () -> library.on(b.device);
            }),
        new Call(
            "CudaLibrary.on(Device) again",
            Verdict.ALLOWED,
            "",
            b -> {
              CudaLibrary library = b.keep(b.device.loadLibrary("library", Workbench.PTX));
              library.on(b.device);
              return () -> library.kernel("fill").on(b.device);
            }));
  }

  private static PitchedMemory rows(DeviceBuffer buffer) {
    return PitchedMemory.of(buffer, 0, 16, 2);
  }

  private static List<Call> copies() {
    return List.of(
        allowed(
            "Stream.copyToDevice(HostBuffer,long,DeviceBuffer,long,long)",
            b -> b.stream.copyToDevice(b.pinned, 0, b.a, 0, BYTES)),
        allowed(
            "Stream.copyToHost(DeviceBuffer,long,HostBuffer,long,long)",
            b -> b.stream.copyToHost(b.a, 0, b.pinned, 0, BYTES)),
        allowed(
            "Stream.copy(DeviceBuffer,long,DeviceBuffer,long,long)",
            b -> b.stream.copy(b.a, 0, b.b, 0, BYTES)),
        allowed(
            "Stream.copy2D(PitchedMemory,PitchedMemory,long,long)",
            b -> b.stream.copy2D(rows(b.a), rows(b.b), 8, 2)),
        allowed(
            "Stream.copy3D(PitchedMemory,PitchedMemory,long,long,long)",
            b -> b.stream.copy3D(rows(b.a), rows(b.b), 8, 2, 2)),
        allowed(
            "Stream.copyPeer(DeviceBuffer,long,DeviceBuffer,long,long)",
            b -> b.stream.copyPeer(b.a, 0, b.b, 0, BYTES)),
        allowed(
            "Stream.copyPeer3D(PitchedMemory,PitchedMemory,long,long,long)",
            b -> b.stream.copyPeer3D(rows(b.a), rows(b.b), 8, 2, 2)),
        allowed(
            "Stream.fill8(DeviceBuffer,long,long,byte)", b -> b.stream.fill8(b.a, 0, 4, (byte) 1)),
        allowed(
            "Stream.fill16(DeviceBuffer,long,long,short)",
            b -> b.stream.fill16(b.a, 0, 4, (short) 1)),
        allowed("Stream.fill32(DeviceBuffer,long,long,int)", b -> b.stream.fill32(b.a, 0, 4, 1)),
        allowed(
            "Stream.fill2D8(PitchedMemory,long,long,byte)",
            b -> b.stream.fill2D8(rows(b.a), 4, 2, (byte) 1)),
        allowed(
            "Stream.fill2D16(PitchedMemory,long,long,short)",
            b -> b.stream.fill2D16(rows(b.a), 4, 2, (short) 1)),
        allowed(
            "Stream.fill2D32(PitchedMemory,long,long,int)",
            b -> b.stream.fill2D32(rows(b.a), 4, 2, 1)),
        refused(
            "Stream.write(MemorySegment,DeviceBuffer,long)",
            b -> b.stream.write(MemorySegment.ofArray(new int[1]), b.a, 0)),
        refused("Stream.write(int[],DeviceBuffer,long)", b -> b.stream.write(new int[1], b.a, 0)),
        refused("Stream.write(long[],DeviceBuffer,long)", b -> b.stream.write(new long[1], b.a, 0)),
        refused(
            "Stream.write(float[],DeviceBuffer,long)", b -> b.stream.write(new float[1], b.a, 0)),
        refused(
            "Stream.write(double[],DeviceBuffer,long)", b -> b.stream.write(new double[1], b.a, 0)),
        refused(
            "Stream.read(DeviceBuffer,long,MemorySegment)",
            b -> b.stream.read(b.a, 0, MemorySegment.ofArray(new int[1]))),
        refused("Stream.read(DeviceBuffer,long,int[])", b -> b.stream.read(b.a, 0, new int[1])),
        refused("Stream.read(DeviceBuffer,long,long[])", b -> b.stream.read(b.a, 0, new long[1])),
        refused("Stream.read(DeviceBuffer,long,float[])", b -> b.stream.read(b.a, 0, new float[1])),
        refused(
            "Stream.read(DeviceBuffer,long,double[])", b -> b.stream.read(b.a, 0, new double[1])));
  }

  private static List<Call> values() {
    return List.of(
        allowed(
            "Stream.writeValue32(DeviceBuffer,long,int)", b -> b.stream.writeValue32(b.a, 0, 1)),
        allowed(
            "Stream.writeValue32(HostBuffer,long,int)", b -> b.stream.writeValue32(b.pinned, 0, 1)),
        allowed(
            "Stream.writeValue64(DeviceBuffer,long,long)", b -> b.stream.writeValue64(b.a, 0, 1)),
        allowed(
            "Stream.writeValue64(HostBuffer,long,long)",
            b -> b.stream.writeValue64(b.pinned, 0, 1)),
        allowed(
            "Stream.waitValue32(DeviceBuffer,long,int,WaitCondition)",
            b -> b.stream.waitValue32(b.a, 0, 0, WaitCondition.GREATER_OR_EQUAL)),
        allowed(
            "Stream.waitValue32(HostBuffer,long,int,WaitCondition)",
            b -> b.stream.waitValue32(b.pinned, 0, 0, WaitCondition.GREATER_OR_EQUAL)),
        allowed(
            "Stream.waitValue64(DeviceBuffer,long,long,WaitCondition)",
            b -> b.stream.waitValue64(b.a, 0, 0, WaitCondition.GREATER_OR_EQUAL)),
        allowed(
            "Stream.waitValue64(HostBuffer,long,long,WaitCondition)",
            b -> b.stream.waitValue64(b.pinned, 0, 0, WaitCondition.GREATER_OR_EQUAL)),
        allowed(
            "Stream.batch(List)", b -> b.stream.batch(List.of(WordOperation.write32(b.a, 0, 1)))));
  }

  private static List<Call> work() {
    return List.of(
        allowed("Stream.label()", b -> b.stream.label()),
        allowed("Stream.device()", b -> b.stream.device()),
        allowed("Stream.driverHandle()", b -> b.stream.driverHandle()),
        allowed("Stream.isCapturing()", b -> b.stream.isCapturing()),
        new Call(
            "Stream.launch(PreparedLaunch)",
            Verdict.ALLOWED,
            "",
            b -> {
              var launch = b.fill(b.a, 2);
              return () -> b.stream.launch(launch);
            }),
        allowed("Stream.launchHost(HostFunction)", b -> b.stream.launchHost(() -> {})),
        allowed("Stream.launchHost(String,HostFunction)", b -> b.stream.launchHost("x", () -> {})),
        allowed(
            "Stream.launchHost(Runnable,Executor)",
            b -> b.stream.launchHost(() -> {}, Runnable::run)),
        allowed(
            "Stream.launchHost(String,Runnable,Executor)",
            b -> b.stream.launchHost("x", () -> {}, Runnable::run)),
        withEvent("Stream.record(Event)", (b, event) -> b.stream.record(event)),
        withEvent(
            "Stream.waitFor(Event)",
            (b, event) -> {
              b.stream.record(event);
              b.stream.waitFor(event);
            }),
        withSemaphore(
            "Stream.signal(ExternalSemaphore,long)",
            (b, semaphore) -> b.stream.signal(semaphore, 1)),
        withSemaphore(
            "Stream.waitFor(ExternalSemaphore,long)",
            (b, semaphore) -> b.stream.waitFor(semaphore, 0)),
        allowed("Stream.allocate(String,long)", b -> b.stream.allocate("x", 4)),
        new Call(
            "Stream.free(DeviceBuffer)",
            Verdict.ALLOWED,
            "",
            b -> {
              Graph graph = b.keep(b.device.createGraph("leaving"));
              MemoryAllocNode left = graph.addAllocation("left", 64);
              b.keep(graph.instantiate()).replay(b.stream);
              return () -> b.stream.free(left.buffer());
            }),
        allowed(
            "Stream.declare(String,Runnable,KernelArg[])",
            b -> b.stream.declare("x", () -> {}, KernelArg.read(b.a))),
        new Call(
            "Stream.captureInto(Graph,CaptureBody,GraphNode[])",
            Verdict.REFUSED,
            "Stream.captureInto",
            b -> {
              Graph graph = b.keep(b.device.createGraph("filled"));
              return () -> b.stream.captureInto(graph, capture -> {});
            }),
        new Call(
            "Stream.allocate(String,long,MemoryPool)",
            Verdict.ALLOWED,
            "",
            b -> {
              MemoryPool pool = b.device.defaultMemoryPool();
              return () -> b.stream.allocate("x", 4, pool);
            }),
        refused("Stream.synchronize()", b -> b.stream.synchronize()),
        refused("Stream.isComplete()", b -> b.stream.isComplete()),
        refused("Stream.capture(CaptureBody)", b -> b.stream.capture(capture -> {})),
        refused("Stream.capture(String,CaptureBody)", b -> b.stream.capture("x", capture -> {})),
        refused("Stream.close()", "cannot be closed before it ends", b -> b.stream.close()));
  }

  private interface EventUse {
    void use(Workbench bench, Event event);
  }

  private static Call withEvent(String method, EventUse use) {
    return withEvent(method, Verdict.ALLOWED, use);
  }

  private static Call withEvent(String method, Verdict verdict, EventUse use) {
    return new Call(
        method,
        verdict,
        method.substring(0, method.indexOf('(')),
        bench -> {
          Event event = bench.keep(bench.device.createTimingEvent());
          return () -> use.use(bench, event);
        });
  }

  private interface SemaphoreUse {
    void use(Workbench bench, ExternalSemaphore semaphore);
  }

  private static Call withSemaphore(String method, SemaphoreUse use) {
    return new Call(
        method,
        Verdict.ALLOWED,
        "",
        bench -> {
          ExternalSemaphore semaphore =
              bench.keep(
                  bench.device.importSemaphore(
                      "semaphore", ExternalSemaphoreKind.TIMELINE_FD, Descriptors.file()));
          return () -> use.use(bench, semaphore);
        });
  }

  private static Call withPool(String method, Verdict verdict, Consumer<MemoryPool> use) {
    return new Call(
        method,
        verdict,
        method.substring(0, method.indexOf('(')),
        bench -> {
          MemoryPool pool = bench.keep(bench.device.createMemoryPool("pool"));
          return () -> use.accept(pool);
        });
  }

  private static Call withExec(String method, String names, ExecUse use) {
    return new Call(
        method,
        Verdict.REFUSED,
        names,
        bench -> {
          GraphExec exec = bench.keep(new GraphOperations.Parts(bench).graph.instantiate());
          return () -> use.use(bench, exec);
        });
  }

  private interface ExecUse {
    void use(Workbench bench, GraphExec exec);
  }

  private static List<Call> others() {
    Verdict refused = Verdict.REFUSED;
    return List.of(
        withEvent("Event.label()", (b, event) -> event.label()),
        withEvent("Event.options()", (b, event) -> event.options()),
        withEvent("Event.device()", (b, event) -> event.device()),
        withEvent("Event.driverHandle()", (b, event) -> event.driverHandle()),
        withEvent("Event.elapsedMillis(Event)", refused, (b, event) -> event.elapsedMillis(event)),
        withEvent("Event.synchronize()", refused, (b, event) -> event.synchronize()),
        withEvent("Event.isComplete()", refused, (b, event) -> event.isComplete()),
        withEvent("Event.close()", (b, event) -> event.close()),
        withPool("MemoryPool.usedBytes()", Verdict.ALLOWED, MemoryPool::usedBytes),
        withPool("MemoryPool.trimTo(long)", refused, pool -> pool.trimTo(0)),
        withPool("MemoryPool.resetHighWaterMarks()", refused, MemoryPool::resetHighWaterMarks),
        withPool(
            "MemoryPool.setReleaseThresholdBytes(long)",
            refused,
            pool -> pool.setReleaseThresholdBytes(1)),
        withPool(
            "MemoryPool.allow(Reuse,boolean)",
            refused,
            pool -> pool.allow(MemoryPool.Reuse.ALLOW_OPPORTUNISTIC, true)),
        allowed(
            "CallerContext.keep(Runnable)",
            b -> CallerContext.keep(() -> b.stream.fill32(b.a, 0, 1, 1))),
        range("VirtualRange.grow(long)", range -> range.grow(1)),
        range("VirtualRange.shrink(long)", range -> range.shrink(0)),
        new Call(
            "Graph.instantiate()",
            refused,
            "Graph.instantiate",
            b -> new GraphOperations.Parts(b).graph::instantiate),
        withExec(
            "GraphExec.replay(Stream)", "cannot be replayed", (b, exec) -> exec.replay(b.stream)),
        withExec(
            "GraphExec.upload(Stream)", "cannot be uploaded", (b, exec) -> exec.upload(b.stream)));
  }

  private static Call range(String method, Consumer<VirtualRange> use) {
    return new Call(
        method,
        Verdict.REFUSED,
        method.substring(0, method.indexOf('(')),
        bench -> {
          VirtualRange range = bench.keep(bench.device.reserve("range", 1));
          return () -> use.accept(range);
        });
  }
}
