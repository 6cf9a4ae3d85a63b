package dev.reprise.cuda;

import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
import dev.reprise.bindings.cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "External Resource Interoperability", about memory. */
final class ExternalMemoryCalls {

  private ExternalMemoryCalls() {}

  static MemorySegment importDescriptor(Context context, String label, int descriptor, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment d = CUDA_EXTERNAL_MEMORY_HANDLE_DESC.allocate(arena).fill((byte) 0);
      CUDA_EXTERNAL_MEMORY_HANDLE_DESC.type(d, cuda_h.CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD());
      CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st.handle.fd(
          CUDA_EXTERNAL_MEMORY_HANDLE_DESC.handle(d), descriptor);
      CUDA_EXTERNAL_MEMORY_HANDLE_DESC.size(d, bytes);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuImportExternalMemory(scratch.first, d);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code,
            "cuImportExternalMemory",
            "label",
            label,
            "descriptor",
            descriptor,
            "bytes",
            bytes);
      }
      return scratch.firstHandle();
    }
  }

  static long map(ExternalMemoryHandle memory, String label, long offset, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment d = CUDA_EXTERNAL_MEMORY_BUFFER_DESC.allocate(arena).fill((byte) 0);
      CUDA_EXTERNAL_MEMORY_BUFFER_DESC.offset(d, offset);
      CUDA_EXTERNAL_MEMORY_BUFFER_DESC.size(d, bytes);
      Scratch scratch = Scratch.get();
      memory.context().makeCurrent();
      int code = cuda_h.cuExternalMemoryGetMappedBuffer(scratch.first, memory.value(), d);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code,
            "cuExternalMemoryGetMappedBuffer",
            "memory",
            memory.label(),
            "label",
            label,
            "offset",
            offset,
            "bytes",
            bytes);
      }
      return scratch.firstLong();
    }
  }

  static void destroy(Context context, String label, MemorySegment memory) {
    context.makeCurrent();
    int code = cuda_h.cuDestroyExternalMemory(memory);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDestroyExternalMemory", "label", label);
    }
  }
}
