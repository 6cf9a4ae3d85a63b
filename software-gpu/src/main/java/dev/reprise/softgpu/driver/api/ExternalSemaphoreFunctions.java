package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/**
 * External semaphores: they belong to a graphics or video driver of the same device, of which there
 * is none here, so that no kind of handle can be imported.
 */
final class ExternalSemaphoreFunctions extends Functions {

  private static final int FIRST_TYPE = 1;
  private static final int LAST_TYPE = 10;

  ExternalSemaphoreFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuImportExternalSemaphore(MemorySegment extSemOut, MemorySegment semHandleDesc) {
    context();
    CallerMemory.required(extSemOut, "extSem_out");
    MemorySegment desc =
        CallerMemory.struct(
            semHandleDesc, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.sizeof(), "semHandleDesc");
    int type = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.type(desc);
    if (type < FIRST_TYPE || type > LAST_TYPE) {
      throw CudaFailure.invalidValue("there is no external semaphore handle type " + type);
    }
    throw CudaFailure.notSupported("an external semaphore of handle type " + type);
  }

  int cuDestroyExternalSemaphore(MemorySegment extSem) {
    context();
    throw CudaFailure.invalidHandle(
        "extSem 0x%x is no external semaphore; none can be imported".formatted(extSem.address()));
  }
}
