package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** From when to when the memory of a graph lives, and who may free it. */
class GraphMemoryLifeTest extends MemoryNodeTest {

  private static final long AUTO_FREE = 1;

  private final MemorySegment slot = arena().allocate(8);
  private long address;

  /** A graph that allocates 16 numbers, sets them, and does not free them. */
  private MemorySegment leaving(int value) {
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    address = allocated.address();
    fillNode(graph, address, value, 16, allocated.node());
    return graph;
  }

  @Test
  void whatIsNotFreedLivesAfterTheLaunchAtTheSameAddressEachTime() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5));
    for (int i = 0; i < 3; i++) {
      launch(exec, stream);
      synchronize(stream);
      assertThat(read(address, 16)).containsOnly(5);
      ok(cuda_h.cuMemFreeAsync(address, stream));
    }
  }

  @Test
  void aRelaunchIsRefusedUntilTheMemoryIsFreed() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5));
    launch(exec, stream);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphLaunch(exec, stream));
    ok(cuda_h.cuMemFreeAsync(address, stream));
    launch(exec, stream);
    ok(cuda_h.cuMemFree_v2(address));
    launch(exec, stream);
    synchronize(stream);
    assertThat(read(address, 1)).containsExactly(5);
  }

  @Test
  void freesAreRefusedWhereNothingIsAllocated() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(address, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(address));
    launch(exec, stream);
    ok(cuda_h.cuMemFreeAsync(address, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(address, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFree_v2(address));
    synchronize(stream);
  }

  @Test
  void autoFreeOnLaunchFreesFirst() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5), AUTO_FREE);
    for (int i = 0; i < 3; i++) {
      launch(exec, stream);
      fill(address, i, 1, stream);
    }
    synchronize(stream);
    assertThat(read(address, 2)).containsExactly(2, 5);
    ok(cuda_h.cuMemFreeAsync(address, stream));
    launch(exec, stream);
    ok(cuda_h.cuMemFree_v2(address));
  }

  @Test
  void anotherGraphMayFreeIt() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5));
    MemorySegment freeing = graph();
    long result = ints(0);
    free(freeing, address);
    MemorySegment free = instantiate(freeing);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphLaunch(free, stream));
    for (int i = 0; i < 2; i++) {
      launch(exec, stream);
      ok(cuda_h.cuMemcpyDtoDAsync_v2(result, address, 4, stream));
      launch(free, stream);
    }
    expect(Result.INVALID_VALUE, cuda_h.cuGraphLaunch(free, stream));
    synchronize(stream);
    assertThat(read(result, 1)).containsExactly(5);
  }

  @Test
  void streamWorkMayNameTheMemoryBeforeTheLaunchHasRun() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5));
    MemorySegment pinned = pinned(64);
    Gate gate = hold(stream);
    launch(exec, stream);
    ok(cuda_h.cuMemcpyDtoHAsync_v2(pinned, address, 64, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpyDtoHAsync_v2(pinned, address + 4, 64, stream));
    ok(cuda_h.cuMemcpyAsync(pinned.address(), address, 64, stream));
    ok(cuda_h.cuMemFreeAsync(address, stream));
    gate.open();
    synchronize(stream);
    assertThat(pinned.getAtIndex(JAVA_INT, 15)).isEqualTo(5);
  }

  @Test
  void contentsAreUndefinedAndHereNoNumbers() {
    MemorySegment stream = stream();
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    MemorySegment exec = instantiate(graph);
    launch(exec, stream);
    fill(allocated.address(), 3, 16, stream);
    ok(cuda_h.cuMemFreeAsync(allocated.address(), stream));
    launch(exec, stream);
    synchronize(stream);
    for (int value : read(allocated.address(), 16)) {
      assertThat(Float.intBitsToFloat(value)).isNaN();
    }
  }

  @Test
  void useBehindTheFreeIsAFault() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5));
    launch(exec, stream);
    ok(cuda_h.cuMemFreeAsync(address, stream));
    fill(address, 1, 1, stream);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void useInsideTheGraphBehindTheFreeIsAFault() {
    MemorySegment stream = stream();
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    MemorySegment free = free(graph, allocated.address(), allocated.node());
    fillNode(graph, allocated.address(), 1, 16, free);
    launch(instantiate(graph), stream);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void useBeforeTheAllocationIsAFault() {
    MemorySegment stream = stream();
    MemorySegment graph = leaving(5);
    MemorySegment exec = instantiate(graph);
    Gate gate = hold(stream);
    fill(address, 1, 1, stream);
    launch(exec, stream);
    gate.open();
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void aFreeThatRunsBeforeTheAllocationIsAFault() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment exec = instantiate(leaving(5));
    Gate gate = hold(stream);
    launch(exec, stream);
    ok(cuda_h.cuMemFreeAsync(address, other));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(other));
    gate.open();
  }

  @Test
  void aRelaunchThatRunsBeforeTheFreeIsAFault() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment exec = instantiate(leaving(5));
    launch(exec, stream);
    synchronize(stream);
    Gate gate = hold(other);
    ok(cuda_h.cuMemFreeAsync(address, other));
    launch(exec, stream);
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamSynchronize(stream));
    gate.open();
  }

  @Test
  void memoryOutlivesItsGraphAndExec() {
    MemorySegment stream = stream();
    MemorySegment graph = leaving(5);
    MemorySegment exec = instantiate(graph);
    launch(exec, stream);
    synchronize(stream);
    ok(cuda_h.cuGraphExecDestroy(exec));
    ok(cuda_h.cuGraphDestroy(graph));
    assertThat(read(address, 1)).containsExactly(5);
    assertThat(attribute(USED)).isEqualTo(64);
    ok(cuda_h.cuMemFreeAsync(address, stream));
    synchronize(stream);
    assertThat(attribute(USED)).isZero();
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(address, stream));
  }

  @Test
  void aNewExecRunsBehindTheLaunchesOfTheOld() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, 64);
    free(graph, allocated.address(), fillNode(graph, allocated.address(), 1, 16, allocated.node()));
    MemorySegment first = instantiate(graph);
    Gate gate = hold(stream);
    launch(first, stream);
    ok(cuda_h.cuGraphExecDestroy(first));
    MemorySegment second = instantiate(graph);
    launch(second, other);
    expectHeld(other);
    gate.open();
    synchronize(other);
    synchronize(stream);
    // The first has let go of the memory by some time between these launches.
    for (int i = 0; i < 100; i++) {
      launch(second, other);
      synchronize(other);
    }
  }

  @Test
  void theContextTakesItsGraphMemoryWithIt() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(leaving(5));
    launch(exec, stream);
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    ok(cuda_h.cuGraphExecDestroy(exec));
    ok(cuda_h.cuDeviceGraphMemTrim(0));
    assertThat(attribute(USED)).isZero();
    assertThat(attribute(RESERVED)).isZero();
  }
}
