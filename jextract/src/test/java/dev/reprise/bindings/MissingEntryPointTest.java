package dev.reprise.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class MissingEntryPointTest {

  @Test
  void aFunctionThatTheDriverHasIsCalled() {
    assertThat(cuda_h.cuInit(0)).isEqualTo(cuda_h.CUDA_SUCCESS());
    assertThat(cuda_h.cuInit(7)).isEqualTo(cuda_h.CUDA_ERROR_INVALID_VALUE());
  }

  @Test
  void aMissingFunctionThrowsAtEachCallAndNamesBothVersions() {
    for (int call = 0; call < 3; call++) {
      assertThatThrownBy(() ->
              cuda_h.cuGraphAddNode_v2(
                  MemorySegment.NULL,
                  MemorySegment.NULL,
                  MemorySegment.NULL,
                  MemorySegment.NULL,
                  0,
                  MemorySegment.NULL))
          .isInstanceOf(MissingEntryPointException.class)
          .hasMessageContaining("tiny driver (CUDA 12.0)")
          .hasMessageContaining("cuGraphAddNode_v2")
          .hasMessageContaining("CUDA 12.3 or newer")
          .satisfies(e -> {
            MissingEntryPointException missing = (MissingEntryPointException) e;
            assertThat(missing.function()).isEqualTo("cuGraphAddNode_v2");
            assertThat(missing.requiredVersion()).isEqualTo(12030);
            assertThat(missing.driverVersion()).isEqualTo(12000);
          });
    }
  }

  @Test
  void theLibraryCannotBeChosenAgainOnceItIsInUse() {
    assertThat(DriverLibrary.current().name()).isEqualTo("tiny driver");
    assertThatThrownBy(() -> DriverLibrary.use("cuda"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("already tiny driver");
  }
}
