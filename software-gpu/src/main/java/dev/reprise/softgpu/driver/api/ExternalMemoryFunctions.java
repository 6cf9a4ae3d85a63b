package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.ExternalMemory;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/**
 * External memory. On a GPU it belongs to a graphics or video driver of the same device; here a
 * file takes its place, see {@link ExternalMemory}. Kinds of handle that are no descriptors cannot
 * be imported.
 */
final class ExternalMemoryFunctions extends Functions {

  private static final int FIRST_TYPE = 1;
  private static final int LAST_TYPE = 8;
  private static final int OPAQUE_FD = 1;
  private static final int DEDICATED = 1;

  ExternalMemoryFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuImportExternalMemory(MemorySegment extMemOut, MemorySegment memHandleDesc) {
    context();
    CallerMemory.required(extMemOut, "extMem_out");
    MemorySegment desc =
        CallerMemory.struct(
            memHandleDesc, CUDA_EXTERNAL_MEMORY_HANDLE_DESC.sizeof(), "memHandleDesc");
    int type = CUDA_EXTERNAL_MEMORY_HANDLE_DESC.type(desc);
    if (type < FIRST_TYPE || type > LAST_TYPE) {
      throw CudaFailure.invalidValue("there is no external memory handle type " + type);
    }
    if (type != OPAQUE_FD) {
      throw CudaFailure.notSupported("external memory of handle type " + type);
    }
    int flags = CUDA_EXTERNAL_MEMORY_HANDLE_DESC.flags(desc);
    if (flags != 0 && flags != DEDICATED) {
      throw CudaFailure.invalidValue("flags " + flags + "; they are 0 or 1, dedicated");
    }
    int descriptor =
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st.handle.fd(
            CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle(desc));
    ExternalMemory imported =
        ExternalMemory.importFile(
            handles(), descriptor, CUDA_EXTERNAL_MEMORY_HANDLE_DESC.size(desc));
    CallerMemory.writeLong(extMemOut, "extMem_out", imported.handle());
    return SUCCESS;
  }

  int cuExternalMemoryGetMappedBuffer(
      MemorySegment devPtr, MemorySegment extMem, MemorySegment bufferDesc) {
    Context context = context();
    CallerMemory.required(devPtr, "devPtr");
    ExternalMemory external = handles().require(extMem.address(), ExternalMemory.class, "extMem");
    MemorySegment desc =
        CallerMemory.struct(bufferDesc, CUDA_EXTERNAL_MEMORY_BUFFER_DESC.sizeof(), "bufferDesc");
    int flags = CUDA_EXTERNAL_MEMORY_BUFFER_DESC.flags(desc);
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
    long offset = CUDA_EXTERNAL_MEMORY_BUFFER_DESC.offset(desc);
    long bytes = CUDA_EXTERNAL_MEMORY_BUFFER_DESC.size(desc);
    if (offset < 0 || bytes <= 0 || offset > external.size() - bytes) {
      throw CudaFailure.invalidValue(
          "%d bytes from %d of memory of %d".formatted(bytes, offset, external.size()));
    }
    CallerMemory.writeLong(
        devPtr,
        "devPtr",
        memory(context).map(external::map, offset, bytes, context).allocation().base());
    return SUCCESS;
  }

  /** Buffers that were mapped stay until they are freed. */
  int cuDestroyExternalMemory(MemorySegment extMem) {
    Context context = contextEvenIfPoisoned();
    handles().require(extMem.address(), ExternalMemory.class, "extMem").destroy(handles());
    return context.result().code();
  }
}
