package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Page-locked memory of the driver and of the program, in copies and as kernel arguments. */
final class HostMemoryTest extends GpuTest {

  private PreparedLaunch fill(HostBuffer out, long offset, int value, int n) {
    return module
        .kernel("fill")
        .prepare(
            LaunchConfig.covering(n, 64),
            KernelArg.write(out, offset),
            KernelArg.i32(value),
            KernelArg.i32(n));
  }

  @Test
  void aKernelWritesPinnedMemoryOfEachKind() {
    for (PinnedOptions options :
        List.of(
            PinnedOptions.STANDARD,
            PinnedOptions.STANDARD.withMapped(),
            PinnedOptions.STANDARD.withMapped().withWriteCombined(),
            new PinnedOptions(false, true, false))) {
      try (PinnedBuffer pinned = device.allocatePinned("pinned", 32, options)) {
        pinned.segment().fill((byte) 0);
        assertThat(pinned.deviceAddress()).isNotZero();
        fill(pinned, 8, 5, 3).launch(stream);
        stream.synchronize();
        assertThat(pinned.segment().toArray(JAVA_INT))
            .as(options.toString())
            .containsExactly(0, 0, 5, 5, 5, 0, 0, 0);
      }
    }
  }

  @Test
  void aGraphOwnsTheHostMemoryOfItsKernels() {
    PinnedBuffer pinned = device.allocatePinned("pinned", 16, PinnedOptions.STANDARD.withMapped());
    pinned.segment().fill((byte) 0);
    PreparedLaunch launch = fill(pinned, 0, 9, 4);
    Graph graph = stream.capture(capture -> stream.launch(launch));
    GraphExec exec = graph.instantiate();
    exec.replay(stream);
    stream.synchronize();
    assertThat(pinned.segment().toArray(JAVA_INT)).containsExactly(9, 9, 9, 9);
    assertThat(graph.pointers()).extracting(CapturedPointer::access).containsExactly(Access.WRITE);
    pinned.close();
    assertThatThrownBy(() -> exec.replay(stream))
        .isInstanceOf(StaleGraphException.class)
        .hasMessageContaining("pinned");
    assertThatThrownBy(() -> stream.launch(launch)).isInstanceOf(IllegalStateException.class);
    assertThat(live(ResourceKind.PINNED_BUFFER)).isEqualTo(1);
    graph.close();
    exec.close();
    Eventually.isTrue("released", () -> live(ResourceKind.PINNED_BUFFER) == 0);
  }

  @Test
  void aLaunchIsPointedAtOtherHostMemory() {
    try (PinnedBuffer a = device.allocatePinned("a", 8);
        PinnedBuffer b = device.allocatePinned("b", 8)) {
      a.segment().fill((byte) 0);
      b.segment().fill((byte) 0);
      PreparedLaunch launch = fill(a, 0, 1, 1);
      launch.setBuffer(0, b, 4);
      launch.launch(stream);
      stream.synchronize();
      assertThat(a.segment().toArray(JAVA_INT)).containsExactly(0, 0);
      assertThat(b.segment().toArray(JAVA_INT)).containsExactly(0, 1);
      assertThatThrownBy(() -> launch.setBuffer(0, b, 8))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void freeingPinnedMemoryHoldsUpNeitherCapturesNorOtherReleases() {
    PinnedBuffer idle = device.allocatePinned("idle", 16);
    DeviceBuffer buffer = device.allocate("buffer", 16);
    try (Gate gate = new Gate(stream);
        Stream side = device.createStream("side")) {
      // The driver waits for the gate before it frees this.
      idle.close();
      side.capture(capture -> side.fill32(buffer, 0, 4, 1)).close();
      buffer.close();
      Eventually.isTrue("buffer released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
      assertThat(stream.isComplete()).isFalse();
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("pinned released", () -> live(ResourceKind.PINNED_BUFFER) == 0);
  }

  @Test
  void registeredMemoryIsCopiedAndWrittenInPlace() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(JAVA_INT, 8);
      memory.setAtIndex(JAVA_INT, 2, 42);
      DeviceBuffer buffer = ints("buffer", 0, 0, 0, 0);
      try (RegisteredMemory registered = device.register("mine", memory)) {
        assertThat(registered.segment()).isEqualTo(memory);
        assertThat(registered.size()).isEqualTo(32);
        stream.copyToDevice(registered, 8, buffer, 4, 4);
        stream.copyToHost(buffer, 4, registered, 0, 4);
        fill(registered, 16, 7, 2).launch(stream);
        assertThat(read(buffer)).containsExactly(0, 42, 0, 0);
        assertThat(memory.toArray(JAVA_INT)).containsExactly(42, 0, 42, 0, 7, 7, 0, 0);
      }
      Eventually.isTrue("unregistered", () -> live(ResourceKind.HOST_REGISTRATION) == 0);
      buffer.close();
    }
  }

  @Test
  void theSameRangeIsRegisteredOnceAndSharedUntilTheLastClose() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      RegisteredMemory first = device.register("first", memory);
      RegisteredMemory second = device.register("second", memory);
      assertThat(live(ResourceKind.REGISTERED_MEMORY)).isEqualTo(2);
      assertThat(live(ResourceKind.HOST_REGISTRATION)).isEqualTo(1);
      first.close();
      first.close();
      assertThatThrownBy(first::deviceAddress).isInstanceOf(IllegalStateException.class);
      fill(second, 0, 3, 1).launch(stream);
      stream.synchronize();
      assertThat(memory.get(JAVA_INT, 0)).isEqualTo(3);
      assertThat(live(ResourceKind.HOST_REGISTRATION)).isEqualTo(1);
      second.close();
      // Waits for the earlier registration to be over, as the driver knows a range only once.
      device.register("third", memory).close();
      Eventually.isTrue("unregistered", () -> live(ResourceKind.HOST_REGISTRATION) == 0);
    }
  }

  @Test
  void registeredMemoryInUseIsLetGoBehindItsLastUse() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(16);
      RegisteredMemory registered = device.register("mine", memory);
      try (Gate gate = new Gate(stream)) {
        fill(registered, 0, 3, 4).launch(stream);
        registered.close();
        assertThat(live(ResourceKind.REGISTERED_MEMORY)).isEqualTo(1);
        gate.letGoAndWait(stream);
      }
      Eventually.isTrue("unregistered", () -> live(ResourceKind.HOST_REGISTRATION) == 0);
      assertThat(memory.toArray(JAVA_INT)).containsExactly(3, 3, 3, 3);
    }
  }

  @Test
  void whatCannotBeRegisteredIsRefused() {
    try (Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> device.register("heap", MemorySegment.ofArray(new int[4])))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("garbage collector moves heap memory");
      assertThatThrownBy(() -> device.register("constant", arena.allocate(8).asReadOnly()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> device.register("empty", arena.allocate(0)))
          .isInstanceOf(IllegalArgumentException.class);
      MemorySegment memory = arena.allocate(64);
      try (RegisteredMemory registered = device.register("whole", memory)) {
        assertThatThrownBy(() -> device.register("part", memory.asSlice(0, 32)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("'part' of 32 bytes")
            .hasMessageContaining("overlaps 'whole' of 64 bytes");
        assertThatThrownBy(() -> device.register("tail", memory.asSlice(60)))
            .isInstanceOf(IllegalArgumentException.class);
        assertThat(registered.isClosed()).isFalse();
      }
      Eventually.isTrue("unregistered", () -> live(ResourceKind.HOST_REGISTRATION) == 0);
    }
  }
}
