package dev.reprise.softgpu.driver.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/**
 * Memory of a device that another stream frees between the check of an operation and its access.
 */
class NativeRunsTest {

  @Test
  void memoryThatHasBeenFreedIsAFaultAndNotAnAddressOfTheHost() {
    try (AddressSpace space = new AddressSpace(1 << 20);
        Arena arena = Arena.ofConfined()) {
      Allocation freed = space.allocate(16, 256, "freed");
      Allocation live = space.allocate(16, 256, "live");
      MemorySegment host = arena.allocate(16);
      space.free(freed);
      assertFault(freed.base(), () -> NativeRuns.write(space, freed.base(), new byte[4]));
      assertFault(freed.base(), () -> NativeRuns.copy(space, live.base(), freed.base(), 16));
      assertFault(
          freed.base() + 8, () -> NativeRuns.copy(space, freed.base() + 8, host.address(), 8));
    }
  }

  private static void assertFault(long address, Runnable access) {
    assertThatThrownBy(access::run)
        .isInstanceOfSatisfying(
            ExecutionFault.class,
            fault -> {
              assertThat(fault.result()).isEqualTo(Result.ILLEGAL_ADDRESS);
              assertThat(fault.address()).isEqualTo(address);
            });
  }

  @Test
  void whatNoDeviceHoldsIsTheCallersOwn() {
    try (AddressSpace space = new AddressSpace(1 << 20);
        Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(16);
      NativeRuns.write(space, host.address(), new byte[] {1, 2, 3});
      assertThat(host.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3, 0);
    }
  }
}
