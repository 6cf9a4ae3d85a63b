package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.ResourceKind;
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
