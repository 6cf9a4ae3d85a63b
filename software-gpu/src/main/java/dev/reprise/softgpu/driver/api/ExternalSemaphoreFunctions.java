package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.ExternalSemaphore;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/**
 * External semaphores. On a GPU they belong to a graphics or video driver of the same device. Here
 * a file takes the place of what such a driver exports, see {@link
 * dev.reprise.softgpu.driver.context.SharedSemaphores}; kinds of handle that are no descriptors
 * cannot be imported.
 */
final class ExternalSemaphoreFunctions extends Functions {

  private static final int FIRST_TYPE = 1;
  private static final int LAST_TYPE = 10;
  private static final int OPAQUE_FD = 1;
  private static final int TIMELINE_FD = 9;

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
    if (type != OPAQUE_FD && type != TIMELINE_FD) {
      throw CudaFailure.notSupported("an external semaphore of handle type " + type);
    }
    int flags = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.flags(desc);
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
    int descriptor =
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st.handle.fd(
            CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle(desc));
    ExternalSemaphore imported =
        gpu().semaphores().importFile(handles(), descriptor, type == TIMELINE_FD);
    CallerMemory.writeLong(extSemOut, "extSem_out", imported.handle());
    return SUCCESS;
  }

  int cuDestroyExternalSemaphore(MemorySegment extSem) {
    Context context = contextEvenIfPoisoned();
    ExternalSemaphore imported =
        handles().require(extSem.address(), ExternalSemaphore.class, "extSem");
    gpu().semaphores().destroy(handles(), imported);
    return context.result().code();
  }

  int cuSignalExternalSemaphoresAsync(
      MemorySegment semaphores, MemorySegment params, int count, MemorySegment hStream) {
    return perform(NodeType.EXT_SEMAS_SIGNAL, semaphores, params, count, hStream);
  }

  int cuWaitExternalSemaphoresAsync(
      MemorySegment semaphores, MemorySegment params, int count, MemorySegment hStream) {
    return perform(NodeType.EXT_SEMAS_WAIT, semaphores, params, count, hStream);
  }

  private int perform(
      NodeType type,
      MemorySegment semaphores,
      MemorySegment params,
      int count,
      MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    stream.perform(
        SemaphoreParameters.read(this, stream.context(), type, semaphores, params, count));
    return SUCCESS;
  }
}
