package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUhostFn;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A primary context of its own for each test, and the driver calls that tests make all the time.
 */
abstract class DriverTest {

  static final int NON_BLOCKING = 1;
  static final int GLOBAL = 0;
  static final int THREAD_LOCAL = 1;
  static final int RELAXED = 2;

  private static final long HELD_NANOS = 10_000_000;

  private final List<Gate> gates = new ArrayList<>();
  private Arena arena = Arena.ofAuto();
  private MemorySegment context = MemorySegment.NULL;

  @BeforeEach
  final void openContext() {
    arena = Arena.ofAuto();
    ok(cuda_h.cuInit(0));
    context = out(pctx -> cuda_h.cuDevicePrimaryCtxRetain(pctx, 0));
    ok(cuda_h.cuCtxSetCurrent(context));
  }

  @AfterEach
  final void closeContext() {
    gates.forEach(Gate::open);
    MemorySegment mode = arena.allocateFrom(JAVA_INT, GLOBAL);
    ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    ok(cuda_h.cuCtxSetCurrent(MemorySegment.NULL));
  }

  final Arena arena() {
    return arena;
  }

  final MemorySegment context() {
    return context;
  }

  static void ok(int code) {
    expect(Result.SUCCESS, code);
  }

  static void expect(Result expected, int code) {
    assertThat(Result.of(code)).isEqualTo(expected);
  }

  /** A call that writes one pointer. */
  interface OutCall {
    int call(MemorySegment out);
  }

  final MemorySegment out(OutCall call) {
    MemorySegment slot = arena.allocate(ADDRESS);
    ok(call.call(slot));
    return slot.get(ADDRESS, 0);
  }

  final long outLong(OutCall call) {
    MemorySegment slot = arena.allocate(JAVA_LONG);
    ok(call.call(slot));
    return slot.get(JAVA_LONG, 0);
  }

  final int outInt(OutCall call) {
    MemorySegment slot = arena.allocate(JAVA_INT);
    ok(call.call(slot));
    return slot.get(JAVA_INT, 0);
  }

  final MemorySegment stream() {
    return out(slot -> cuda_h.cuStreamCreate(slot, NON_BLOCKING));
  }

  final MemorySegment blockingStream() {
    return out(slot -> cuda_h.cuStreamCreate(slot, 0));
  }

  final MemorySegment event() {
    return out(slot -> cuda_h.cuEventCreate(slot, cuda_h.CU_EVENT_DISABLE_TIMING()));
  }

  final MemorySegment timingEvent() {
    return out(slot -> cuda_h.cuEventCreate(slot, 0));
  }

  final long device(long bytes) {
    return outLong(slot -> cuda_h.cuMemAlloc_v2(slot, bytes));
  }

  final MemorySegment pinned(long bytes) {
    return out(slot -> cuda_h.cuMemHostAlloc(slot, bytes, 0)).reinterpret(bytes);
  }

  /** A device buffer with these numbers. */
  final long ints(int... values) {
    long address = device(4L * values.length);
    ok(cuda_h.cuMemcpyHtoD_v2(address, arena.allocateFrom(JAVA_INT, values), 4L * values.length));
    return address;
  }

  /** The numbers in device memory, read on the legacy stream. */
  final int[] read(long address, int count) {
    MemorySegment host = arena.allocate(JAVA_INT, count);
    ok(cuda_h.cuMemcpyDtoH_v2(host, address, 4L * count));
    return host.toArray(JAVA_INT);
  }

  final void fill(long address, int value, int count, MemorySegment stream) {
    ok(cuda_h.cuMemsetD32Async(address, value, count, stream));
  }

  static void synchronize(MemorySegment stream) {
    ok(cuda_h.cuStreamSynchronize(stream));
  }

  /**
   * The stream is held by something: it stays busy for as long as a thread that is free to run
   * would need to finish it many times over.
   */
  static void expectHeld(MemorySegment stream) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < HELD_NANOS) {
      expect(Result.NOT_READY, cuda_h.cuStreamQuery(stream));
      Thread.onSpinWait();
    }
  }

  static void record(MemorySegment event, MemorySegment stream) {
    ok(cuda_h.cuEventRecord(event, stream));
  }

  static void waitFor(MemorySegment stream, MemorySegment event) {
    ok(cuda_h.cuStreamWaitEvent(stream, event, 0));
  }

  static void begin(MemorySegment stream, int mode) {
    ok(cuda_h.cuStreamBeginCapture_v2(stream, mode));
  }

  final MemorySegment end(MemorySegment stream) {
    return out(graph -> cuda_h.cuStreamEndCapture(stream, graph));
  }

  /** Ends a capture that must fail, with this code and no graph. */
  final void expectEnd(Result expected, MemorySegment stream) {
    MemorySegment graph = arena.allocateFrom(JAVA_LONG, 1);
    expect(expected, cuda_h.cuStreamEndCapture(stream, graph));
    assertThat(graph.get(JAVA_LONG, 0)).isZero();
  }

  final int captureStatus(MemorySegment stream) {
    return outInt(status -> cuda_h.cuStreamIsCapturing(stream, status));
  }

  final MemorySegment instantiate(MemorySegment graph) {
    return out(exec -> cuda_h.cuGraphInstantiateWithFlags(exec, graph, 0));
  }

  final List<MemorySegment> nodes(MemorySegment graph) {
    int count = (int) outLong(n -> cuda_h.cuGraphGetNodes(graph, MemorySegment.NULL, n));
    MemorySegment array = arena.allocate(ADDRESS, Math.max(count, 1));
    MemorySegment room = arena.allocateFrom(JAVA_LONG, count);
    ok(cuda_h.cuGraphGetNodes(graph, array, room));
    assertThat(room.get(JAVA_LONG, 0)).isEqualTo(count);
    List<MemorySegment> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(array.getAtIndex(ADDRESS, i));
    }
    return nodes;
  }

  final List<MemorySegment> dependencies(MemorySegment node) {
    MemorySegment room = arena.allocateFrom(JAVA_LONG, 64);
    MemorySegment array = arena.allocate(ADDRESS, 64);
    ok(cuda_h.cuGraphNodeGetDependencies_v2(node, array, MemorySegment.NULL, room));
    List<MemorySegment> nodes = new ArrayList<>();
    for (int i = 0; i < room.get(JAVA_LONG, 0); i++) {
      nodes.add(array.getAtIndex(ADDRESS, i));
    }
    return nodes;
  }

  final int nodeType(MemorySegment node) {
    return outInt(type -> cuda_h.cuGraphNodeGetType(node, type));
  }

  /** The module of {@code probe.cu}. */
  final MemorySegment probe() {
    MemorySegment image = arena.allocateFrom(text("probe.ptx"));
    return out(module -> cuda_h.cuModuleLoadData(module, image));
  }

  static String text(String resource) {
    try (InputStream in = DriverTest.class.getResourceAsStream(resource)) {
      assertThat(in).as(resource).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  final MemorySegment kernel(MemorySegment module, String name) {
    MemorySegment text = arena.allocateFrom(name);
    return out(function -> cuda_h.cuModuleGetFunction(function, module, text));
  }

  /** An array of pointers to parameters, which are numbers of type int, long, byte and so on. */
  final MemorySegment parameters(Object... values) {
    MemorySegment pointers = arena.allocate(ADDRESS, Math.max(1, values.length));
    for (int i = 0; i < values.length; i++) {
      MemorySegment value =
          switch (values[i]) {
            case Integer v -> arena.allocateFrom(JAVA_INT, v);
            case Long v -> arena.allocateFrom(JAVA_LONG, v);
            case Byte v -> arena.allocateFrom(JAVA_BYTE, v);
            case Short v -> arena.allocateFrom(JAVA_SHORT, v);
            case Double v -> arena.allocateFrom(JAVA_DOUBLE, v);
            default -> throw new IllegalArgumentException("no parameter: " + values[i]);
          };
      pointers.setAtIndex(ADDRESS, i, value);
    }
    return pointers;
  }

  /** Launches blocks of so many threads. */
  final int tryLaunch(
      MemorySegment kernel, int grid, int block, MemorySegment stream, Object... values) {
    return cuda_h.cuLaunchKernel(
        kernel, grid, 1, 1, block, 1, 1, 0, stream, parameters(values), MemorySegment.NULL);
  }

  final void launch(
      MemorySegment kernel, int grid, int block, MemorySegment stream, Object... values) {
    ok(tryLaunch(kernel, grid, block, stream, values));
  }

  /** Enqueues a host function. */
  final void hostFunction(MemorySegment stream, Runnable body) {
    ok(cuda_h.cuLaunchHostFunc(stream, hostFunction(body), MemorySegment.NULL));
  }

  /** A native host function that runs Java. */
  final MemorySegment hostFunction(Runnable body) {
    return CUhostFn.allocate(data -> body.run(), arena);
  }

  /** Holds a stream until the gate is opened, at the latest when the test ends. */
  final Gate hold(MemorySegment stream) {
    Gate gate = new Gate();
    gates.add(gate);
    hostFunction(stream, gate::pass);
    return gate;
  }

  /** Something that a stream waits for. */
  static final class Gate {
    private static final long LIMIT_SECONDS = 60;
    private final CountDownLatch latch = new CountDownLatch(1);

    private Gate() {}

    void open() {
      latch.countDown();
    }

    private void pass() {
      boolean interrupted = false;
      while (true) {
        try {
          latch.await(LIMIT_SECONDS, TimeUnit.SECONDS);
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Does something on another thread, where this test's context is current, and waits for it. */
  final void onAnotherThread(Runnable body) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread =
        new Thread(() -> {
          ok(cuda_h.cuCtxSetCurrent(context));
          body.run();
        });
    thread.setUncaughtExceptionHandler((dead, thrown) -> failure.set(thrown));
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
    assertThat(failure.get()).isNull();
  }
}
