package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** How much memory graphs take from the device, and when they give it back. */
class GraphMemoryFootprintTest extends MemoryNodeTest {

  private static final long BYTES = 1 << 20;

  private MemorySegment scratch(long... sizes) {
    MemorySegment graph = graph();
    for (long size : sizes) {
      Allocated allocated = allocate(graph, size);
      free(graph, allocated.address(), allocated.node());
    }
    return graph;
  }

  private long freeBytes() {
    MemorySegment free = arena().allocate(JAVA_LONG);
    ok(cuda_h.cuMemGetInfo_v2(free, arena().allocate(JAVA_LONG)));
    return free.get(JAVA_LONG, 0);
  }

  private void run(MemorySegment exec) {
    MemorySegment stream = stream();
    launch(exec, stream);
    synchronize(stream);
  }

  @Test
  void memoryIsTakenAtTheFirstLaunchAndKept() {
    MemorySegment exec = instantiate(scratch(BYTES, 2 * BYTES));
    assertThat(attribute(USED)).isZero();
    long before = freeBytes();
    for (int i = 0; i < 3; i++) {
      run(exec);
      assertThat(attribute(USED)).isEqualTo(3 * BYTES);
      assertThat(attribute(RESERVED)).isEqualTo(3 * BYTES);
      assertThat(freeBytes()).isEqualTo(before - 3 * BYTES);
    }
  }

  @Test
  void anUploadTakesIt() {
    MemorySegment stream = stream();
    MemorySegment exec = instantiate(scratch(BYTES));
    ok(cuda_h.cuGraphUpload(exec, stream));
    assertThat(attribute(USED)).isEqualTo(BYTES);
    synchronize(stream);
  }

  @Test
  void whatAnExecHadIsKeptForOthersAndTrimmed() {
    long before = freeBytes();
    MemorySegment first = instantiate(scratch(BYTES));
    run(first);
    ok(cuda_h.cuGraphExecDestroy(first));
    assertThat(attribute(USED)).isZero();
    assertThat(attribute(RESERVED)).isEqualTo(BYTES);
    MemorySegment second = instantiate(scratch(BYTES));
    run(second);
    assertThat(attribute(USED)).isEqualTo(BYTES);
    assertThat(attribute(RESERVED)).as("reused").isEqualTo(BYTES);
    ok(cuda_h.cuGraphExecDestroy(second));
    trim();
    assertThat(attribute(RESERVED)).isZero();
    assertThat(freeBytes()).isEqualTo(before);
  }

  @Test
  void trimmingTakesItFromIdleExecsAndTheNextLaunchGetsItAgain() {
    MemorySegment exec = instantiate(scratch(BYTES));
    run(exec);
    trim();
    assertThat(attribute(USED)).isZero();
    assertThat(attribute(RESERVED)).isZero();
    run(exec);
    assertThat(attribute(RESERVED)).isEqualTo(BYTES);
  }

  @Test
  void trimmingLeavesWhatIsLiveOrInFlight() {
    MemorySegment stream = stream();
    MemorySegment graph = graph();
    Allocated live = allocate(graph, BYTES);
    run(instantiate(graph));
    MemorySegment exec = instantiate(scratch(2 * BYTES));
    Gate gate = hold(stream);
    launch(exec, stream);
    trim();
    assertThat(attribute(RESERVED)).isEqualTo(3 * BYTES);
    gate.open();
    synchronize(stream);
    trim();
    assertThat(attribute(RESERVED)).isEqualTo(BYTES);
    fill(live.address(), 1, 4, stream);
    ok(cuda_h.cuMemFreeAsync(live.address(), stream));
    synchronize(stream);
    trim();
    assertThat(attribute(RESERVED)).isZero();
  }

  @Test
  void theHighestMarksStayUntilTheyAreReset() {
    reset(USED_HIGH);
    reset(RESERVED_HIGH);
    assertThat(attribute(USED_HIGH)).isZero();
    MemorySegment exec = instantiate(scratch(BYTES));
    run(exec);
    ok(cuda_h.cuGraphExecDestroy(exec));
    trim();
    assertThat(attribute(USED_HIGH)).isEqualTo(BYTES);
    assertThat(attribute(RESERVED_HIGH)).isEqualTo(BYTES);
    reset(USED_HIGH);
    assertThat(attribute(USED_HIGH)).isZero();
    assertThat(attribute(RESERVED_HIGH)).isEqualTo(BYTES);
    reset(RESERVED_HIGH);
    assertThat(attribute(RESERVED_HIGH)).isZero();
    MemorySegment one = arena().allocateFrom(JAVA_LONG, 1);
    expect(Result.INVALID_VALUE, cuda_h.cuDeviceSetGraphMemAttribute(0, USED_HIGH, one));
    MemorySegment zero = arena().allocateFrom(JAVA_LONG, 0);
    expect(Result.INVALID_VALUE, cuda_h.cuDeviceSetGraphMemAttribute(0, USED, zero));
    expect(Result.INVALID_VALUE, cuda_h.cuDeviceGetGraphMemAttribute(0, 4, zero));
    expect(Result.INVALID_DEVICE, cuda_h.cuDeviceGraphMemTrim(1));
  }

  @Test
  void aLaunchThatDoesNotFitIsRefusedAndChangesNothing() {
    MemorySegment stream = stream();
    MemorySegment graph = graph();
    Allocated allocated = allocate(graph, freeBytes() + 1);
    MemorySegment exec = instantiate(graph);
    expect(Result.OUT_OF_MEMORY, cuda_h.cuGraphLaunch(exec, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemFreeAsync(allocated.address(), stream));
    assertThat(attribute(RESERVED)).isZero();
    run(instantiate(scratch(BYTES)));
  }
}
