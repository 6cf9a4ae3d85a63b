package dev.reprise.softgpu.driver.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.Test;

/** What was freed between a check and an access is a fault of the operation. */
class NativeRunsTest {

  @Test
  void memoryThatWasFreedMeanwhileIsAFault() {
    try (AddressSpace space = new AddressSpace(1 << 20)) {
      Allocation freed = space.allocate(64, 256, "freed");
      NativeRuns.write(space, freed.base(), new byte[] {1, 2, 3});
      space.free(freed);
      assertThatThrownBy(() -> NativeRuns.write(space, freed.base(), new byte[] {1, 2, 3}))
          .isInstanceOfSatisfying(
              ExecutionFault.class,
              e -> {
                assertThat(e.result()).isEqualTo(Result.ILLEGAL_ADDRESS);
                assertThat(e.address()).isEqualTo(freed.base());
              });
      Allocation kept = space.allocate(64, 256, "kept");
      assertThatThrownBy(() -> NativeRuns.copy(space, kept.base(), freed.base(), 8))
          .isInstanceOf(ExecutionFault.class)
          .hasMessageContaining("was freed while it was accessed");
    }
  }
}
