package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The driver's own handles, in calls that the runtime does not make. */
final class DriverHandleTest extends GpuTest {

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment out = arena.allocate(64, 8);

  private static void ok(int code) {
    assertThat(code).isEqualTo(cuda_h.CUDA_SUCCESS());
  }

  private long outLong() {
    return out.get(JAVA_LONG, 0);
  }

  private int outInt() {
    return out.get(JAVA_INT, 0);
  }

  @Test
  void contextsStreamsAndEventsAreKnownByThem() {
    ok(cuda_h.cuCtxSetCurrent(MemorySegment.NULL));
    ok(cuda_h.cuCtxSetCurrent(device.driverHandle()));
    ok(cuda_h.cuCtxGetDevice(out));
    assertThat(outInt()).isZero();
    try (Event event = device.createEvent();
        Gate gate = new Gate(stream)) {
      ok(cuda_h.cuEventRecord(event.driverHandle(), stream.driverHandle()));
      assertThat(cuda_h.cuStreamQuery(stream.driverHandle()))
          .isEqualTo(cuda_h.CUDA_ERROR_NOT_READY());
      assertThat(event.isComplete()).isFalse();
      gate.letGoAndWait(stream);
      ok(cuda_h.cuStreamQuery(stream.driverHandle()));
      ok(cuda_h.cuEventQuery(event.driverHandle()));
    }
  }

  @Test
  void codeIsKnownByThem() {
    ok(cuda_h.cuCtxSetCurrent(device.driverHandle()));
    ok(cuda_h.cuModuleGetFunction(out, module.driverHandle(), arena.allocateFrom("increment")));
    assertThat(outLong()).isEqualTo(module.kernel("increment").driverHandle().address());
    try (CudaLibrary library = device.loadLibrary("library", ptx())) {
      ok(cuda_h.cuLibraryGetKernelCount(out, library.driverHandle()));
      assertThat(outInt()).isEqualTo(library.kernelNames().size());
      ok(cuda_h.cuKernelGetName(out, library.kernel("fill").driverHandle()));
      assertThat(MemorySegment.ofAddress(outLong()).reinterpret(8).getString(0)).isEqualTo("fill");
      Kernel fill = library.kernel("fill").on(device);
      ok(cuda_h.cuFuncGetModule(out, fill.driverHandle()));
      assertThat(outLong()).isEqualTo(library.on(device).driverHandle().address());
    }
  }

  @Test
  void graphsAndTheirNodesAreKnownByThem() {
    try (DeviceBuffer counter = ints("counter", 0);
        Graph graph = device.createGraph("graph")) {
      KernelNode kernel = graph.addKernel(increment(counter));
      ok(cuda_h.cuGraphGetNodes(graph.driverHandle(), MemorySegment.NULL, out));
      assertThat(outLong()).isEqualTo(1);
      ok(cuda_h.cuGraphNodeGetType(kernel.driverHandle(), out));
      assertThat(outInt()).isEqualTo(cuda_h.CU_GRAPH_NODE_TYPE_KERNEL());
      try (GraphExec exec = graph.instantiate(InstantiateOptions.standard().withNodePriority())) {
        ok(cuda_h.cuGraphExecGetFlags(exec.driverHandle(), out));
        assertThat(outLong()).isEqualTo(cuda_h.CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY());
        ok(cuda_h.cuGraphLaunch(exec.driverHandle(), stream.driverHandle()));
        assertThat(read(counter)).containsExactly(1);
      }
      ConditionalNode choice = graph.addIf(graph.conditionalHandle(0));
      ok(cuda_h.cuGraphGetNodes(choice.body().driverHandle(), MemorySegment.NULL, out));
      assertThat(outLong()).isZero();
    }
  }

  @Test
  void resourcesOfTheProgramAreKnownByThem() {
    AtomicInteger closed = new AtomicInteger();
    Graph graph = device.createGraph("graph");
    UserObject object = device.createUserObject("object", closed::incrementAndGet);
    ok(
        cuda_h.cuGraphRetainUserObject(
            graph.driverHandle(), object.driverHandle(), 1, /* flags */ 0));
    object.close();
    refused("UserObject 'object' is closed", object::driverHandle);
    Eventually.isTrue("released", () -> live(ResourceKind.USER_OBJECT) == 0);
    assertThat(closed).hasValue(0);
    graph.close();
    Eventually.isTrue("closed", () -> closed.get() == 1);
  }

  @Test
  void poolsAreKnownByThem() {
    int used = cuda_h.CU_MEMPOOL_ATTR_USED_MEM_CURRENT();
    try (MemoryPool pool = device.createMemoryPool("pool");
        DeviceBuffer buffer = stream.allocate("buffer", 1000, pool)) {
      ok(cuda_h.cuMemPoolGetAttribute(pool.driverHandle(), used, out));
      assertThat(outLong()).isEqualTo(pool.usedBytes()).isGreaterThanOrEqualTo(buffer.size());
      MemoryPool standard = device.defaultMemoryPool();
      ok(cuda_h.cuMemPoolGetAttribute(standard.driverHandle(), used, out));
      assertThat(outLong()).isEqualTo(standard.usedBytes());
    }
  }

  @Test
  void whatOtherDriversMadeIsKnownByThem() {
    try (ExternalMemory memory = device.importMemory("memory", Descriptors.file(64), 64);
        DeviceBuffer mapped = memory.map("mapped", 0, 64)) {
      MemorySegment range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC.allocate(arena).fill((byte) 0);
      CUDA_EXTERNAL_MEMORY_BUFFER_DESC.size(range, 64);
      ok(cuda_h.cuExternalMemoryGetMappedBuffer(out, memory.driverHandle(), range));
      long again = outLong();
      ok(cuda_h.cuMemsetD32Async(again, 3, 16, stream.driverHandle()));
      assertThat(read(mapped)).containsOnly(3);
      ok(cuda_h.cuMemFree_v2(again));
    }
    try (ExternalSemaphore semaphore =
        device.importSemaphore(
            "semaphore", ExternalSemaphoreKind.TIMELINE_FD, Descriptors.file())) {
      MemorySegment params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.allocate(arena).fill((byte) 0);
      CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st.params.fence.value(
          CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st.params.fence(
              CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.params(params)),
          5);
      MemorySegment semaphores = arena.allocateFrom(JAVA_LONG, semaphore.driverHandle().address());
      ok(cuda_h.cuSignalExternalSemaphoresAsync(semaphores, params, 1, stream.driverHandle()));
      stream.waitFor(semaphore, 5);
      stream.synchronize();
    }
  }

  private static void refused(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
  }

  @Test
  void theHandleOfSomethingClosedIsRefused() {
    Device closed = Device.open(0);
    MemoryPool standard = closed.defaultMemoryPool();
    Stream side = device.createStream("dead");
    Event event = device.createEvent("dead");
    MemoryPool pool = device.createMemoryPool("dead");
    CudaModule code = device.loadModule("dead", ptx());
    Kernel kernel = code.kernel("fill");
    CudaLibrary library = device.loadLibrary("dead", ptx());
    LibraryKernel ofLibrary = library.kernel("fill");
    CudaModule onDevice = library.on(device);
    Graph graph = device.createGraph("dead");
    EmptyNode node = graph.addEmpty();
    EmptyNode removed = graph.addEmpty();
    GraphExec exec = graph.instantiate();
    ExternalMemory memory = device.importMemory("dead", Descriptors.file(64), 64);
    ExternalSemaphore semaphore =
        device.importSemaphore("dead", ExternalSemaphoreKind.BINARY_FD, Descriptors.file());
    removed.remove();
    refused("EMPTY node was removed from graph 'dead'", removed::driverHandle);

    closed.close();
    side.close();
    event.close();
    pool.close();
    code.close();
    library.close();
    graph.close();
    exec.close();
    memory.close();
    semaphore.close();
    refused("Device 'device-0' is closed", closed::driverHandle);
    refused("Device 'device-0' is closed", standard::driverHandle);
    refused("Stream 'dead' is closed", side::driverHandle);
    refused("Event 'dead' is closed", event::driverHandle);
    refused("MemoryPool 'dead' is closed", pool::driverHandle);
    refused("CudaModule 'dead' is closed", code::driverHandle);
    refused("CudaModule 'dead' is closed", kernel::driverHandle);
    refused("CudaLibrary 'dead' is closed", library::driverHandle);
    refused("CudaLibrary 'dead' is closed", ofLibrary::driverHandle);
    refused("CudaModule 'dead' is closed", onDevice::driverHandle);
    refused("Graph 'dead' is closed", graph::driverHandle);
    refused("Graph 'dead' is closed", node::driverHandle);
    refused("GraphExec 'dead' is closed", exec::driverHandle);
    refused("ExternalMemory 'dead' is closed", memory::driverHandle);
    refused("ExternalSemaphore 'dead' is closed", semaphore::driverHandle);
  }

  private void fillRaw(DeviceBuffer buffer, int value) {
    ok(cuda_h.cuMemsetD32Async(buffer.address(), value, buffer.size() / 4, stream.driverHandle()));
  }

  @Test
  void workThatIsDeclaredKeepsItsMemory() {
    DeviceBuffer memory = device.allocate("memory", 16);
    try (Gate gate = new Gate(stream)) {
      stream.declare("raw fill", () -> fillRaw(memory, 7), KernelArg.write(memory));
      memory.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void aGraphOwnsWhatCapturedWorkIsDeclaredToUseAndNothingElse() {
    try (DeviceBuffer declared = ints("declared", 0, 0);
        DeviceBuffer unseen = ints("unseen", 0, 0)) {
      Graph graph =
          stream.capture(capture -> {
            stream.declare("raw fill", () -> fillRaw(declared, 7), KernelArg.write(declared));
            fillRaw(unseen, 8);
          });
      assertThat(graph.nodes()).extracting(GraphNode::type).containsOnly(GraphNodeType.MEMSET);
      assertThat(graph.nodeCount()).isEqualTo(2);
      assertThat(graph.regions()).extracting(Region::label).containsExactly("declared");
      try (GraphExec exec = graph.instantiate()) {
        graph.close();
        exec.replay(stream);
        assertThat(read(declared)).containsExactly(7, 7);
        assertThat(read(unseen)).containsExactly(8, 8);
        declared.close();
        assertThatThrownBy(() -> exec.replay(stream))
            .isInstanceOf(StaleGraphException.class)
            .hasMessageContaining("declared");
      }
    }
  }
}
