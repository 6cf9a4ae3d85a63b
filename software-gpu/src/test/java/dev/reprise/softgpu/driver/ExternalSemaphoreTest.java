package dev.reprise.softgpu.driver;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Semaphores of other drivers, which the software GPU has none of. */
class ExternalSemaphoreTest extends DriverTest {

  private int tryImport(int type) {
    MemorySegment desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.allocate(arena());
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.type(desc, type);
    return cuda_h.cuImportExternalSemaphore(arena().allocate(8), desc);
  }

  @Test
  void everyKindOfHandleIsRefusedAndNoOtherExists() {
    for (int type = 1; type <= 10; type++) {
      expect(Result.NOT_SUPPORTED, tryImport(type));
    }
    expect(Result.INVALID_VALUE, tryImport(0));
    expect(Result.INVALID_VALUE, tryImport(11));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuImportExternalSemaphore(arena().allocate(8), MemorySegment.NULL));
    expect(Result.INVALID_HANDLE, cuda_h.cuDestroyExternalSemaphore(stream()));
  }
}
