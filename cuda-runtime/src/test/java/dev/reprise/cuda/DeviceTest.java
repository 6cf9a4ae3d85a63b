package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class DeviceTest extends GpuTest {

  @Test
  void tellsWhatItIs() {
    assertThat(Device.count()).isPositive();
    assertThat(device.ordinal()).isZero();
    assertThat(device.name()).isNotBlank();
    assertThat(device.uuid()).matches("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    assertThat(device.pciBusId()).matches("[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-9]");
    assertThat(device.canAccessPeer(device)).isFalse();
    assertThat(device.driverVersion()).isGreaterThanOrEqualTo(12000);
    assertThat(device.multiprocessorCount()).isPositive();
    assertThat(device.attribute(DeviceAttribute.WARP_SIZE)).isEqualTo(32);
    assertThat(device.computeCapability().isAtLeast(new ComputeCapability(7, 5))).isTrue();
  }

  @Test
  void memoryInfoFollowsAllocations() {
    MemoryInfo before = device.memoryInfo();
    assertThat(before.totalBytes()).isEqualTo(device.totalMemoryBytes());
    assertThat(before.freeBytes()).isBetween(1L, before.totalBytes());
    try (DeviceBuffer big = device.allocate("big", 64L << 20)) {
      assertThat(device.memoryInfo().freeBytes())
          .isLessThanOrEqualTo(before.freeBytes() - big.size());
    }
    Eventually.isTrue(
        "memory is back", () -> device.memoryInfo().freeBytes() == before.freeBytes());
  }

  @Test
  void refusesAnOrdinalThatDoesNotExist() {
    int live = LiveResources.count(ResourceKind.DEVICE);
    assertThatThrownBy(() -> Device.open(1000))
        .isInstanceOf(CudaException.class)
        .hasMessageContaining("CUDA_ERROR_INVALID_DEVICE")
        .hasMessageContaining("ordinal=1000");
    assertThat(LiveResources.count(ResourceKind.DEVICE)).isEqualTo(live);
  }

  @Test
  void anAllocationThatDoesNotFitThrowsAndCreatesNothing() {
    int live = live(ResourceKind.DEVICE_BUFFER);
    long free = device.memoryInfo().freeBytes();
    assertThatThrownBy(() -> device.allocate("huge", 1L << 50))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.name()).isEqualTo("CUDA_ERROR_OUT_OF_MEMORY");
              assertThat(e.code()).isEqualTo(2);
              assertThat(e.function()).isEqualTo("cuMemAllocAsync");
              assertThat(e.arguments()).contains("label=huge", "bytes=" + (1L << 50));
              assertThat(e.driverText()).isNotBlank();
              assertThat(e.contextPoisoned()).isFalse();
            });
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(live);
    assertThat(device.memoryInfo().freeBytes()).isEqualTo(free);
  }

  @Test
  void threadsWaitAsTheyAreTold() {
    int resize = cuda_h.CU_CTX_LMEM_RESIZE_TO_MAX();
    assertThat(device.hostWait()).isEqualTo(HostWait.AUTO);
    assertThat(cuda_h.cuDevicePrimaryCtxSetFlags_v2(0, resize)).isZero();
    try {
      assertThat(Arrays.stream(HostWait.values()).map(this::flagsWith))
          .containsExactly(
              resize | cuda_h.CU_CTX_SCHED_AUTO(),
              resize | cuda_h.CU_CTX_SCHED_SPIN(),
              resize | cuda_h.CU_CTX_SCHED_YIELD(),
              resize | cuda_h.CU_CTX_SCHED_BLOCKING_SYNC());
    } finally {
      assertThat(cuda_h.cuDevicePrimaryCtxSetFlags_v2(0, 0)).isZero();
    }
  }

  /** The flags of the primary context, once threads wait in a way. */
  private int flagsWith(HostWait wait) {
    device.setHostWait(wait);
    assertThat(device.hostWait()).isEqualTo(wait);
    stream.synchronize();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment flags = arena.allocate(JAVA_INT);
      MemorySegment active = arena.allocate(JAVA_INT);
      assertThat(cuda_h.cuDevicePrimaryCtxGetState(0, flags, active)).isZero();
      return flags.get(JAVA_INT, 0);
    }
  }

  @Test
  void refusesEmptyBuffers() {
    assertThatThrownBy(() -> device.allocate("empty", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'empty'");
    assertThatThrownBy(() -> device.allocatePinned("empty", -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void twoDevicesOfOneOrdinalShareTheirObjects() {
    try (Device second = Device.open(0);
        DeviceBuffer mine = second.allocate("mine", 16)) {
      fill(mine, 7, 4).launch(stream);
      assertThat(read(mine)).containsExactly(7, 7, 7, 7);
    }
  }
}
