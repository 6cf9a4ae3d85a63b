package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.Test;

/** Memory that is allocated and freed in the order of a stream, and the pools it comes from. */
final class MemoryPoolTest extends GpuTest {

  @Test
  void memoryIsFreedBehindItsUsesWithoutWaitingForThem() {
    DeviceBuffer result = ints("result", 0, 0, 0, 0);
    try (Gate gate = new Gate(stream)) {
      DeviceBuffer scratch = stream.allocate("scratch", 16);
      stream.fill32(scratch, 0, 4, 7);
      stream.copy(scratch, 0, result, 0, 16);
      scratch.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).as("only the result").isEqualTo(1);
      assertThat(stream.isComplete()).isFalse();
      assertThatThrownBy(() -> stream.fill32(scratch, 0, 4, 8))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'scratch' is closed");
      gate.letGoAndWait(stream);
    }
    assertThat(read(result)).containsExactly(7, 7, 7, 7);
    result.close();
  }

  @Test
  void usesOnOtherStreamsAreWaitedFor() {
    DeviceBuffer scratch = stream.allocate("scratch", 16);
    stream.synchronize();
    try (Stream side = device.createStream("side");
        Gate gate = new Gate(side)) {
      side.fill32(scratch, 0, 4, 7);
      scratch.close();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      gate.letGoAndWait(side);
    }
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }

  @Test
  void theStreamOutlivesItsMemory() {
    Stream own = device.createStream("own");
    DeviceBuffer buffer = own.allocate("buffer", 16);
    own.synchronize();
    own.close();
    stream.fill32(buffer, 0, 4, 3);
    assertThat(read(buffer)).containsExactly(3, 3, 3, 3);
    assertThat(live(ResourceKind.STREAM)).isEqualTo(2);
    buffer.close();
    Eventually.isTrue("stream released", () -> live(ResourceKind.STREAM) == 1);
  }

  @Test
  void aGraphKeepsStreamOrderedMemory() {
    DeviceBuffer counter = stream.allocate("counter", 4);
    stream.fill32(counter, 0, 1, 10);
    PreparedLaunch step = increment(counter);
    try (Graph graph = stream.capture(capture -> stream.launch(step));
        GraphExec exec = graph.instantiate()) {
      exec.replay(stream);
      exec.replay(stream);
      assertThat(read(counter)).containsExactly(12);
      counter.close();
      assertThatThrownBy(() -> exec.replay(stream)).isInstanceOf(StaleGraphException.class);
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
    }
  }

  @Test
  void aPoolCountsWhatComesFromIt() {
    try (MemoryPool pool = device.createMemoryPool("pool")) {
      DeviceBuffer a = stream.allocate("a", 1000, pool);
      DeviceBuffer b = stream.allocate("b", 24, pool);
      assertThat(pool.usedBytes()).isGreaterThanOrEqualTo(1024);
      assertThat(pool.reservedBytes()).isGreaterThanOrEqualTo(pool.usedBytes());
      long high = pool.usedHighBytes();
      a.close();
      stream.synchronize();
      assertThat(pool.usedBytes()).isLessThan(high).isGreaterThanOrEqualTo(24);
      assertThat(pool.usedHighBytes()).isEqualTo(high);
      assertThat(pool.reservedHighBytes()).isGreaterThanOrEqualTo(high);
      pool.resetHighWaterMarks();
      assertThat(pool.usedHighBytes()).isEqualTo(pool.usedBytes());
      b.close();
      stream.synchronize();
      pool.trimTo(0);
      assertThat(pool.usedBytes()).isZero();
      assertThat(pool.reservedBytes()).isZero();
    }
  }

  @Test
  void settingsAreThoseOfThePool() {
    try (MemoryPool pool = device.createMemoryPool("pool")) {
      assertThat(pool.isDefault()).isFalse();
      assertThat(pool.releaseThresholdBytes()).isZero();
      pool.setReleaseThresholdBytes(1L << 33);
      assertThat(pool.releaseThresholdBytes()).isEqualTo(1L << 33);
      for (MemoryPool.Reuse reuse : MemoryPool.Reuse.values()) {
        assertThat(pool.allows(reuse)).isTrue();
        pool.allow(reuse, false);
        assertThat(pool.allows(reuse)).isFalse();
        pool.allow(reuse, true);
        assertThat(pool.allows(reuse)).isTrue();
      }
      assertThatThrownBy(() -> pool.setReleaseThresholdBytes(-1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> pool.trimTo(-1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aClosedPoolLivesUntilItsMemoryIsFreed() {
    MemoryPool pool = device.createMemoryPool("pool");
    DeviceBuffer buffer = stream.allocate("buffer", 16, pool);
    pool.close();
    assertThat(live(ResourceKind.MEMORY_POOL)).isEqualTo(1);
    stream.fill32(buffer, 0, 4, 6);
    assertThat(read(buffer)).containsExactly(6, 6, 6, 6);
    assertThatThrownBy(() -> stream.allocate("other", 16, pool))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("MemoryPool 'pool' is closed");
    assertThatThrownBy(pool::usedBytes).isInstanceOf(IllegalStateException.class);
    buffer.close();
    Eventually.isTrue("pool released", () -> live(ResourceKind.MEMORY_POOL) == 0);
  }

  @Test
  void theDefaultPoolIsTheDevicesOwn() {
    MemoryPool pool = device.defaultMemoryPool();
    assertThat(pool.isDefault()).isTrue();
    // Frees of earlier tests may still be on their way: what is used can only become less by them.
    long before = pool.usedBytes();
    DeviceBuffer plain = device.allocate("plain", 4096);
    DeviceBuffer ordered = stream.allocate("ordered", 4096);
    long used = pool.usedBytes();
    assertThat(used).isBetween(8192L, before + 8192);
    pool.close();
    assertThat(pool.isClosed()).isFalse();
    plain.close();
    ordered.close();
    device.synchronize();
    assertThat(pool.usedBytes()).isLessThanOrEqualTo(used - 8192);
  }

  @Test
  void allocationsThatCannotBeLeaveNothingBehind() {
    MemoryPool pool = device.defaultMemoryPool();
    long used = pool.usedBytes();
    assertThatThrownBy(() -> stream.allocate("huge", 1L << 46))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.name()).isEqualTo("CUDA_ERROR_OUT_OF_MEMORY");
              assertThat(e.getMessage()).contains("huge").contains("default pool");
            });
    assertThatThrownBy(() -> stream.allocate("none", 0))
        .isInstanceOf(IllegalArgumentException.class);
    Graph graph =
        stream.capture(capture -> {
          assertThatThrownBy(() -> device.allocate("captured", 16))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("Device.allocate('captured')");
          assertThatThrownBy(() -> pool.trimTo(0)).isInstanceOf(IllegalStateException.class);
        });
    graph.close();
    assertThat(pool.usedBytes()).isLessThanOrEqualTo(used);
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isZero();
  }
}
