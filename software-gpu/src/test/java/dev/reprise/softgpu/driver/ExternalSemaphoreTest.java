package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
import dev.reprise.bindings.cuda.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ExternalSemaphoreTest extends DriverTest {

  private static final int BINARY = 1;
  private static final int TIMELINE = 9;

  /** A new descriptor of a file that nobody else has. */
  private int file() {
    return descriptor(
        "memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), "test", 0);
  }

  /** Another descriptor of the same file. */
  private int another(int descriptor) {
    return descriptor("dup", FunctionDescriptor.of(JAVA_INT, JAVA_INT), descriptor);
  }

  private int descriptor(String function, FunctionDescriptor type, Object... arguments) {
    Linker linker = Linker.nativeLinker();
    var address = linker.defaultLookup().find(function);
    assumeTrue(address.isPresent() && Files.exists(Path.of("/proc/self/fd")), "needs Linux");
    Object[] all = arguments.clone();
    if (all[0] instanceof String text) {
      all[0] = arena().allocateFrom(text);
    }
    try {
      int made = (int) linker.downcallHandle(address.orElseThrow(), type).invokeWithArguments(all);
      assertThat(made).isNotNegative();
      return made;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private MemorySegment desc(int type, int descriptor) {
    MemorySegment desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.allocate(arena());
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.type(desc, type);
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st.handle.fd(
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle(desc), descriptor);
    return desc;
  }

  private MemorySegment imported(int type, int descriptor) {
    return out(sem -> cuda_h.cuImportExternalSemaphore(sem, desc(type, descriptor)));
  }

  private MemorySegment array(MemorySegment semaphore) {
    MemorySegment array = arena().allocate(ADDRESS);
    array.set(ADDRESS, 0, semaphore);
    return array;
  }

  /** The number is the first member of both structs. */
  private MemorySegment params(long value) {
    MemorySegment params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.allocate(arena());
    params.set(JAVA_LONG, 0, value);
    return params;
  }

  private void signal(MemorySegment semaphore, long value, MemorySegment stream) {
    ok(cuda_h.cuSignalExternalSemaphoresAsync(array(semaphore), params(value), 1, stream));
  }

  private void await(MemorySegment semaphore, long value, MemorySegment stream) {
    ok(cuda_h.cuWaitExternalSemaphoresAsync(array(semaphore), params(value), 1, stream));
  }

  /** A stream that is held stays so however long it is looked at; one that is not soon shows it. */
  private static void assertHeld(MemorySegment stream) {
    for (int i = 0; i < 25; i++) {
      expect(Result.NOT_READY, cuda_h.cuStreamQuery(stream));
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void bothStructsBeginWithTheNumber() {
    assertThat(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS.sizeof())
        .isEqualTo(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.sizeof());
  }

  @Test
  void kindsOfHandleThatAreNoDescriptorsAreRefused() {
    for (int type : new int[] {2, 3, 4, 5, 6, 7, 8, 10}) {
      expect(
          Result.NOT_SUPPORTED,
          cuda_h.cuImportExternalSemaphore(arena().allocate(8), desc(type, 0)));
    }
    for (int type : new int[] {0, 11}) {
      expect(
          Result.INVALID_VALUE,
          cuda_h.cuImportExternalSemaphore(arena().allocate(8), desc(type, 0)));
    }
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuImportExternalSemaphore(arena().allocate(8), MemorySegment.NULL));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuImportExternalSemaphore(arena().allocate(8), desc(BINARY, 1_000_000)));
    expect(Result.INVALID_HANDLE, cuda_h.cuDestroyExternalSemaphore(stream()));
  }

  @Test
  void aWaitHoldsAStreamUntilTheSignalOfAnother() {
    int descriptor = file();
    MemorySegment one = imported(BINARY, another(descriptor));
    MemorySegment same = imported(BINARY, descriptor);
    MemorySegment waiting = stream();
    MemorySegment signalling = stream();
    await(one, 0, waiting);
    assertHeld(waiting);
    signal(same, 0, signalling);
    ok(cuda_h.cuStreamSynchronize(waiting));
    // The wait has reset it.
    await(one, 0, waiting);
    ok(cuda_h.cuStreamSynchronize(signalling));
    assertHeld(waiting);
    signal(one, 0, signalling);
    ok(cuda_h.cuStreamSynchronize(waiting));
    ok(cuda_h.cuDestroyExternalSemaphore(one));
    ok(cuda_h.cuDestroyExternalSemaphore(same));
    expect(Result.INVALID_HANDLE, cuda_h.cuDestroyExternalSemaphore(same));
  }

  @Test
  void aTimelineOnlyRises() {
    int descriptor = file();
    MemorySegment timeline = imported(TIMELINE, another(descriptor));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuImportExternalSemaphore(arena().allocate(8), desc(BINARY, descriptor)));
    MemorySegment waiting = stream();
    MemorySegment signalling = stream();
    await(timeline, 5, waiting);
    signal(timeline, 4, signalling);
    ok(cuda_h.cuStreamSynchronize(signalling));
    assertHeld(waiting);
    signal(timeline, 6, signalling);
    signal(timeline, 2, signalling);
    ok(cuda_h.cuStreamSynchronize(waiting));
    ok(cuda_h.cuStreamSynchronize(signalling));
    await(timeline, 6, waiting);
    ok(cuda_h.cuStreamSynchronize(waiting));
    ok(cuda_h.cuDestroyExternalSemaphore(timeline));
    // With the last import gone, the file stands for a new one.
    MemorySegment fresh = imported(BINARY, descriptor);
    ok(cuda_h.cuDestroyExternalSemaphore(fresh));
  }

  @Test
  void destroyingItClosesTheDescriptor() {
    int descriptor = file();
    MemorySegment semaphore = imported(BINARY, descriptor);
    Path path = Path.of("/proc/self/fd/" + descriptor);
    assertThat(Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)).isTrue();
    ok(cuda_h.cuDestroyExternalSemaphore(semaphore));
    assertThat(Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void nodesSignalAndWaitAtEachLaunch() {
    MemorySegment timeline = imported(TIMELINE, file());
    MemorySegment graph = out(g -> cuda_h.cuGraphCreate(g, 0));
    MemorySegment params = node(timeline, 1);
    MemorySegment wait =
        out(n ->
            cuda_h.cuGraphAddExternalSemaphoresWaitNode(n, graph, MemorySegment.NULL, 0, params));
    MemorySegment after = array(wait);
    MemorySegment signalParams = node(timeline, 2);
    MemorySegment signal =
        out(n -> cuda_h.cuGraphAddExternalSemaphoresSignalNode(n, graph, after, 1, signalParams));
    MemorySegment told = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.allocate(arena());
    ok(cuda_h.cuGraphExternalSemaphoresSignalNodeGetParams(signal, told));
    assertThat(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.numExtSems(told)).isEqualTo(1);
    assertThat(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.paramsArray(told).reinterpret(8).get(JAVA_LONG, 0))
        .isEqualTo(2);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphExternalSemaphoresWaitNodeGetParams(signal, told));

    MemorySegment exec = out(e -> cuda_h.cuGraphInstantiateWithFlags(e, graph, 0));
    MemorySegment running = stream();
    MemorySegment other = stream();
    ok(cuda_h.cuGraphLaunch(exec, running));
    await(timeline, 2, other);
    assertHeld(other);
    signal(timeline, 1, stream());
    ok(cuda_h.cuStreamSynchronize(other));

    // Another number in the executable graph, and in the graph.
    ok(cuda_h.cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, signal, node(timeline, 3)));
    ok(cuda_h.cuGraphLaunch(exec, running));
    await(timeline, 3, other);
    ok(cuda_h.cuStreamSynchronize(other));
    ok(cuda_h.cuGraphExternalSemaphoresWaitNodeSetParams(wait, node(timeline, 9)));
    ok(cuda_h.cuGraphExternalSemaphoresWaitNodeGetParams(wait, told));
    assertThat(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.paramsArray(told).reinterpret(8).get(JAVA_LONG, 0))
        .isEqualTo(9);
    ok(cuda_h.cuGraphExecDestroy(exec));
    ok(cuda_h.cuGraphDestroy(graph));
    ok(cuda_h.cuDestroyExternalSemaphore(timeline));
  }

  private MemorySegment node(MemorySegment semaphore, long value) {
    MemorySegment params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.allocate(arena());
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.extSemArray(params, array(semaphore));
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.paramsArray(params, params(value));
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS.numExtSems(params, 1);
    return params;
  }

  @Test
  void aCaptureMakesNodes() {
    MemorySegment semaphore = imported(BINARY, file());
    MemorySegment stream = stream();
    ok(cuda_h.cuStreamBeginCapture_v2(stream, THREAD_LOCAL));
    signal(semaphore, 0, stream);
    await(semaphore, 0, stream);
    MemorySegment graph = out(g -> cuda_h.cuStreamEndCapture(stream, g));
    MemorySegment exec = out(e -> cuda_h.cuGraphInstantiateWithFlags(e, graph, 0));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    ok(cuda_h.cuStreamSynchronize(stream));
    ok(cuda_h.cuGraphExecDestroy(exec));
    ok(cuda_h.cuGraphDestroy(graph));
    ok(cuda_h.cuDestroyExternalSemaphore(semaphore));
  }

  @Test
  void countsAndFlagsThatCannotBeAreRefused() {
    MemorySegment semaphore = imported(BINARY, file());
    MemorySegment stream = stream();
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuSignalExternalSemaphoresAsync(array(semaphore), params(0), 0, stream));
    MemorySegment flagged = params(0);
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS.flags(flagged, 1);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuSignalExternalSemaphoresAsync(array(semaphore), flagged, 1, stream));
    expect(
        Result.INVALID_HANDLE,
        cuda_h.cuWaitExternalSemaphoresAsync(array(stream), params(0), 1, stream));
    ok(cuda_h.cuDestroyExternalSemaphore(semaphore));
  }
}
