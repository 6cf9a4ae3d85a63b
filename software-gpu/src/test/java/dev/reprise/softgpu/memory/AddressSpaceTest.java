package dev.reprise.softgpu.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class AddressSpaceTest {
  @Test
  void findsAnAllocationByAnyOfItsAddressesAndNothingElse() {
    try (AddressSpace space = new AddressSpace(1 << 20)) {
      Allocation a = space.allocate(100, 16, "a");
      Allocation b = space.allocate(200, 16, "b");
      assertThat(space.find(a.base())).isSameAs(a);
      assertThat(space.find(a.base() + 99)).isSameAs(a);
      assertThat(space.find(a.base() + 100)).isNull();
      assertThat(space.find(a.base() - 1)).isNull();
      assertThat(space.find(b.base() + 5)).isSameAs(b);
      assertThat(space.find(0)).isNull();
      assertThat(space.find(Long.MAX_VALUE)).isNull();
      assertThat(space.find(-1)).isNull();
      assertThat(b.base() - (a.base() + a.size())).isGreaterThanOrEqualTo(64 << 10);
      assertThat(a.what()).isEqualTo("a");
    }
  }

  @Test
  void neverUsesAnAddressTwice() {
    try (AddressSpace space = new AddressSpace(1 << 20)) {
      Allocation a = space.allocate(1 << 19, 256, "a");
      space.free(a);
      Allocation b = space.allocate(1 << 19, 256, "b");
      assertThat(b.base()).isGreaterThan(a.base() + a.size());
      assertThat(space.find(a.base())).isNull();
      assertThat(a.live()).isFalse();
    }
  }

  @Test
  void alignsDeviceAndHostAddresses() {
    try (AddressSpace space = new AddressSpace(1 << 20)) {
      for (long alignment : new long[] {1, 256, 4096, 65536}) {
        Allocation a = space.allocate(10, alignment, "a");
        assertThat(a.base() % Math.max(256, alignment)).isZero();
        assertThat(a.host() % Math.max(256, alignment)).isZero();
      }
    }
  }

  @Test
  void startsZeroed() {
    try (AddressSpace space = new AddressSpace(1 << 20)) {
      for (int round = 0; round < 20; round++) {
        Allocation a = space.allocate(1000, 1, "a");
        for (int k = 0; k < 1000; k++) {
          assertThat(HostMemory.ALL.get(ValueLayout.JAVA_BYTE, a.host() + k)).isZero();
          HostMemory.ALL.set(ValueLayout.JAVA_BYTE, a.host() + k, (byte) 1);
        }
        space.free(a);
      }
    }
  }

  @Test
  void refusesMoreThanItsCapacityAndCountsWhatIsFreed() {
    try (AddressSpace space = new AddressSpace(1000)) {
      Allocation a = space.allocate(600, 1, "a");
      assertThatThrownBy(() -> space.allocate(500, 1, "weights"))
          .isInstanceOf(OutOfDeviceMemoryException.class)
          .hasMessageContaining("500")
          .hasMessageContaining("weights")
          .hasMessageContaining("600 of 1000");
      space.free(a);
      assertThat(space.usedBytes()).isZero();
      space.allocate(1000, 1, "b");
      assertThat(space.usedBytes()).isEqualTo(1000);
      assertThat(space.capacityBytes()).isEqualTo(1000);
    }
  }

  @Test
  void refusesToFreeTwice() {
    try (AddressSpace space = new AddressSpace(1000)) {
      Allocation a = space.allocate(10, 1, "a");
      space.free(a);
      assertThatThrownBy(() -> space.free(a)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void mapsHostMemoryAtItsOwnAddress() {
    try (AddressSpace space = new AddressSpace(1000);
        Arena arena = Arena.ofConfined()) {
      long address = arena.allocate(64, 64).address();
      Allocation a = space.mapHost(address, 64, "pinned");
      assertThat(a.base()).isEqualTo(address);
      assertThat(a.host()).isEqualTo(address);
      assertThat(space.find(address + 63)).isSameAs(a);
      assertThat(space.usedBytes()).isZero();
      assertThatThrownBy(() -> space.mapHost(address + 32, 64, "again"))
          .isInstanceOf(IllegalArgumentException.class);
      space.free(a);
      assertThat(space.find(address)).isNull();
    }
  }

  @Test
  void keepsFreedMemoryInPlaceUntilRunningAccessesEnd() {
    try (AddressSpace space = new AddressSpace(1000)) {
      Allocation a = space.allocate(16, 1, "a");
      long ticket = space.beginAccess();
      space.free(a);
      assertThat(space.find(a.base())).isNull();
      HostMemory.ALL.set(ValueLayout.JAVA_INT, a.host(), 42);
      assertThat(HostMemory.ALL.get(ValueLayout.JAVA_INT, a.host())).isEqualTo(42);
      space.endAccess(ticket);
      assertThatThrownBy(() -> space.endAccess(ticket))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void agreesWithALinearSearch() {
    long seed = 31;
    Random random = new Random(seed);
    try (AddressSpace space = new AddressSpace(1 << 24)) {
      List<Allocation> live = new ArrayList<>();
      for (int step = 0; step < 500; step++) {
        if (live.isEmpty() || random.nextInt(3) > 0) {
          live.add(space.allocate(1 + random.nextInt(5000), 1, "a" + step));
        } else {
          space.free(live.remove(random.nextInt(live.size())));
        }
        long probe = AddressSpace.FIRST_ADDRESS + (long) (random.nextDouble() * step * 70_000);
        Allocation want = live.stream().filter(a -> a.contains(probe, 1)).findAny().orElse(null);
        assertThat(space.find(probe)).as("seed %d step %d", seed, step).isSameAs(want);
      }
    }
  }
}
