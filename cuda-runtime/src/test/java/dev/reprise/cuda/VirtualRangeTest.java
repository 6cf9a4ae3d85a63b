package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Memory that grows in place. */
final class VirtualRangeTest extends GpuTest {

  private static final long PAGE = 2 << 20;

  private int[] ints(VirtualRange range, long offset, int count) {
    int[] values = new int[count];
    stream.read(range.buffer(), offset, MemorySegment.ofArray(values));
    return values;
  }

  @Test
  void growthKeepsAddressesAndContents() {
    try (VirtualRange range = device.reserve("kv", 1L << 40)) {
      assertThat(range.granularity()).isEqualTo(PAGE);
      assertThat(range.mappedBytes()).isZero();
      assertThat(range.grow(1)).isEqualTo(PAGE);
      long address = range.address();
      DeviceBuffer buffer = range.buffer();
      stream.fill32(buffer, PAGE - 16, 4, 42);
      assertThat(range.grow(3 * PAGE)).isEqualTo(4 * PAGE);
      assertThat(range.address()).isEqualTo(address);
      assertThat(range.buffer()).isSameAs(buffer);
      assertThat(buffer.address()).isEqualTo(address);
      assertThat(buffer.size()).isEqualTo(4 * PAGE);
      stream.fill32(buffer, PAGE, 4, 43);
      assertThat(ints(range, PAGE - 16, 8)).containsExactly(42, 42, 42, 42, 43, 43, 43, 43);
    }
  }

  @Test
  void aLaunchReachesAcrossThePiecesOfTheRange() {
    int count = (int) (2 * PAGE / 4);
    try (VirtualRange range = device.reserve("kv", 4 * PAGE)) {
      range.grow(PAGE);
      PreparedLaunch early = fill(range.buffer(), 1, (int) (PAGE / 4));
      range.grow(PAGE);
      stream.launch(early);
      fill(range.buffer(), 2, count).launch(stream);
      stream.launch(early);
      assertThat(ints(range, PAGE - 8, 4)).containsExactly(1, 1, 2, 2);
    }
  }

  @Test
  void aGraphCapturedBeforeTheGrowthReplaysBitEqual() {
    try (VirtualRange range = device.reserve("kv", 4 * PAGE);
        DeviceBuffer copy = device.allocate("copy", 64)) {
      range.grow(PAGE);
      stream.fill32(range.buffer(), 0, 16, 100);
      PreparedLaunch step = increment(range.buffer());
      try (Graph graph =
              stream.capture(capture -> {
                stream.launch(step);
                stream.copy(range.buffer(), 0, copy, 0, 64);
              });
          GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        int[] before = read(copy);
        int epoch = range.epoch();
        range.grow(2 * PAGE);
        assertThat(range.epoch()).isEqualTo(epoch);
        stream.fill32(range.buffer(), 0, 16, 100);
        exec.replay(stream);
        assertThat(read(copy)).isEqualTo(before).startsWith(101, 100);
        assertThat(graph.regions()).extracting(Region::label).containsExactly("kv", "copy");
      }
    }
  }

  @Test
  void shrinkingMakesGraphsStaleAndGivesWholePiecesBack() {
    try (VirtualRange range = device.reserve("kv", 8 * PAGE)) {
      range.grow(PAGE);
      range.grow(2 * PAGE);
      range.grow(PAGE);
      stream.fill32(range.buffer(), 0, 1, 5);
      PreparedLaunch step = increment(range.buffer());
      try (Graph graph = stream.capture(capture -> stream.launch(step));
          GraphExec exec = graph.instantiate()) {
        long free = device.memoryInfo().freeBytes();
        assertThat(range.shrink(4 * PAGE)).isEqualTo(4 * PAGE);
        exec.replay(stream);
        assertThat(range.shrink(2 * PAGE)).as("the piece of two is kept").isEqualTo(3 * PAGE);
        assertThat(device.memoryInfo().freeBytes()).isEqualTo(free + PAGE);
        assertThatThrownBy(() -> exec.replay(stream))
            .isInstanceOf(StaleGraphException.class)
            .hasMessageContaining("kv");
        assertThat(range.shrink(1)).isEqualTo(PAGE);
        assertThat(ints(range, 0, 1)).containsExactly(6);
        assertThat(range.shrink(0)).isZero();
        assertThat(range.grow(1)).isEqualTo(PAGE);
        step.launch(stream);
        assertThat(ints(range, 0, 1)).as("new memory").containsExactly(1);
      }
    }
  }

  @Test
  void closingMakesGraphsStaleAndWaitsForThemToLetGo() {
    VirtualRange range = device.reserve("kv", 2 * PAGE);
    range.grow(PAGE);
    PreparedLaunch step = increment(range.buffer());
    Graph graph = stream.capture(capture -> stream.launch(step));
    GraphExec exec = graph.instantiate();
    range.close();
    assertThatThrownBy(() -> exec.replay(stream)).isInstanceOf(StaleGraphException.class);
    assertThat(live(ResourceKind.VIRTUAL_RANGE)).isEqualTo(1);
    graph.close();
    exec.close();
    Eventually.isTrue("released", () -> live(ResourceKind.VIRTUAL_RANGE) == 0);
    assertThatThrownBy(() -> range.grow(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("VirtualRange 'kv' is closed");
    assertThatThrownBy(() -> range.shrink(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> range.buffer().address()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aRangeClosedWithWorkInFlightIsReleasedBehindIt() {
    VirtualRange range = device.reserve("kv", 2 * PAGE);
    range.grow(PAGE);
    try (Gate gate = new Gate(stream)) {
      stream.fill32(range.buffer(), 0, 4, 9);
      range.buffer().close();
      assertThat(range.isClosed()).isTrue();
      assertThat(live(ResourceKind.VIRTUAL_RANGE)).isEqualTo(1);
      gate.letGo();
      Eventually.isTrue("released", () -> live(ResourceKind.VIRTUAL_RANGE) == 0);
    }
  }

  @Test
  void aRangeGrowsWhileItsWorkIsInFlight() {
    try (VirtualRange range = device.reserve("kv", 4 * PAGE)) {
      range.grow(PAGE);
      try (Gate gate = new Gate(stream)) {
        fill(range.buffer(), 3, 4).launch(stream);
        range.grow(PAGE);
        assertThat(stream.isComplete()).isFalse();
        gate.letGoAndWait(stream);
      }
      assertThat(ints(range, 0, 4)).containsExactly(3, 3, 3, 3);
    }
  }

  @Test
  void copiesAndFillsBeyondTheMappedPartAreRefusedByName() {
    try (VirtualRange range = device.reserve("kv", 2 * PAGE);
        PinnedBuffer pinned = device.allocatePinned("pinned", 16)) {
      pinned.segment().fill((byte) 0);
      assertThatThrownBy(() -> KernelArg.write(range.buffer()))
          .isInstanceOf(IndexOutOfBoundsException.class);
      range.grow(PAGE);
      assertThatThrownBy(() -> stream.copyToDevice(pinned, 0, range.buffer(), PAGE - 8, 16))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("VirtualRange 'kv' of 2097152 bytes");
      range.grow(PAGE);
      pinned.segment().set(JAVA_INT, 8, 77);
      stream.copyToDevice(pinned, 0, range.buffer(), PAGE - 8, 16);
      assertThat(ints(range, PAGE - 8, 4)).containsExactly(0, 0, 77, 0);
    }
  }

  @Test
  void aGrowthThatFailsChangesNothing() {
    try (VirtualRange range = device.reserve("kv", 1L << 46)) {
      range.grow(PAGE);
      int epoch = range.epoch();
      long free = device.memoryInfo().freeBytes();
      assertThatThrownBy(() -> range.grow(1L << 45))
          .isInstanceOfSatisfying(
              CudaException.class,
              e -> {
                assertThat(e.name()).isEqualTo("CUDA_ERROR_OUT_OF_MEMORY");
                assertThat(e.function()).isEqualTo("cuMemCreate");
              });
      assertThatThrownBy(() -> range.grow(1L << 46))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2097152 of its 70368744177664 bytes are mapped");
      assertThatThrownBy(() -> range.grow(0)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> range.grow(Long.MAX_VALUE))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> range.shrink(-1)).isInstanceOf(IllegalArgumentException.class);
      assertThat(range.mappedBytes()).isEqualTo(PAGE);
      assertThat(range.epoch()).isEqualTo(epoch);
      assertThat(device.memoryInfo().freeBytes()).isEqualTo(free);
      range.grow(PAGE);
      assertThat(range.mappedBytes()).isEqualTo(2 * PAGE);
    }
  }

  @Test
  void aRangeNeitherGrowsNorShrinksDuringACapture() {
    try (VirtualRange range = device.reserve("kv", 2 * PAGE)) {
      range.grow(PAGE);
      Graph graph =
          stream.capture(capture -> {
            assertThatThrownBy(() -> range.grow(PAGE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("VirtualRange.grow of 'kv'");
            assertThatThrownBy(() -> range.shrink(0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> device.reserve("other", PAGE))
                .isInstanceOf(IllegalStateException.class);
            stream.fill32(range.buffer(), 0, 4, 1);
          });
      assertThat(graph.nodeCount()).isEqualTo(1);
      graph.close();
    }
  }
}
