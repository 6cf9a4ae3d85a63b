package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Memory Management". */
final class MemoryCalls {

  private MemoryCalls() {}

  static MemoryInfo info(Context context) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuMemGetInfo_v2(scratch.first, scratch.second);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemGetInfo_v2");
    }
    return new MemoryInfo(scratch.firstLong(), scratch.secondLong());
  }

  static long allocate(Context context, String label, long bytes) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuMemAlloc_v2(scratch.first, bytes);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemAlloc_v2", "label", label, "bytes", bytes);
    }
    return scratch.firstLong();
  }

  static void free(Context context, String label, long address, long bytes) {
    context.makeCurrent();
    int code = cuda_h.cuMemFree_v2(address);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuMemFree_v2", "label", label, "address", hex(address), "bytes", bytes);
    }
  }

  static long allocateAsync(Context context, String label, long bytes, MemorySegment stream) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuMemAllocAsync(scratch.first, bytes, stream);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemAllocAsync", "label", label, "bytes", bytes);
    }
    return scratch.firstLong();
  }

  static void freeAsync(
      Context context, String label, long address, long bytes, MemorySegment stream) {
    context.makeCurrent();
    int code = cuda_h.cuMemFreeAsync(address, stream);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuMemFreeAsync", "label", label, "address", hex(address), "bytes", bytes);
    }
  }

  static long allocatePinned(Context context, String label, long bytes, PinnedOptions options) {
    int flags =
        (options.portable() ? cuda_h.CU_MEMHOSTALLOC_PORTABLE() : 0)
            | (options.mapped() ? cuda_h.CU_MEMHOSTALLOC_DEVICEMAP() : 0)
            | (options.writeCombined() ? cuda_h.CU_MEMHOSTALLOC_WRITECOMBINED() : 0);
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuMemHostAlloc(scratch.first, bytes, flags);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemHostAlloc", "label", label, "bytes", bytes, "options", options);
    }
    return scratch.firstLong();
  }

  /** Waits for work of the device; legal while other threads capture. */
  static void freePinned(Context context, String label, long address, long bytes) {
    MemorySegment memory = MemorySegment.ofAddress(address);
    int code;
    try (RelaxedCaptureCalls relaxed = RelaxedCaptureCalls.enter()) {
      context.makeCurrent();
      code = cuda_h.cuMemFreeHost(memory);
    }
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemFreeHost", "label", label, "bytes", bytes);
    }
  }

  static void register(Context context, String label, long address, long bytes) {
    MemorySegment memory = MemorySegment.ofAddress(address);
    int flags = cuda_h.CU_MEMHOSTREGISTER_PORTABLE() | cuda_h.CU_MEMHOSTREGISTER_DEVICEMAP();
    context.makeCurrent();
    int code = cuda_h.cuMemHostRegister_v2(memory, bytes, flags);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuMemHostRegister_v2", "label", label, "address", hex(address), "bytes", bytes);
    }
  }

  /** Waits for work of the device; legal while other threads capture. */
  static void unregister(Context context, String label, long address, long bytes) {
    MemorySegment memory = MemorySegment.ofAddress(address);
    int code;
    try (RelaxedCaptureCalls relaxed = RelaxedCaptureCalls.enter()) {
      context.makeCurrent();
      code = cuda_h.cuMemHostUnregister(memory);
    }
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuMemHostUnregister", "label", label, "address", hex(address), "bytes", bytes);
    }
  }

  static long deviceAddress(Context context, String label, long address) {
    MemorySegment memory = MemorySegment.ofAddress(address);
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuMemHostGetDevicePointer_v2(scratch.first, memory, 0);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuMemHostGetDevicePointer_v2", "label", label, "address", hex(address));
    }
    return scratch.firstLong();
  }

  static void copyToDevice(
      Context context, long target, long source, long bytes, StreamHandle stream) {
    context.makeCurrent();
    int code = context.hotCalls().copyToDevice(target, source, bytes, stream.value());
    if (code != Failures.SUCCESS) {
      throw copyFailed(code, "cuMemcpyHtoDAsync_v2", target, source, bytes, stream.label());
    }
  }

  static void copyToHost(
      Context context, MemorySegment target, long source, long bytes, StreamHandle stream) {
    context.makeCurrent();
    int code = cuda_h.cuMemcpyDtoHAsync_v2(target, source, bytes, stream.value());
    if (code != Failures.SUCCESS) {
      throw copyFailed(
          code, "cuMemcpyDtoHAsync_v2", target.address(), source, bytes, stream.label());
    }
  }

  static void copy(Context context, long target, long source, long bytes, StreamHandle stream) {
    context.makeCurrent();
    int code = cuda_h.cuMemcpyDtoDAsync_v2(target, source, bytes, stream.value());
    if (code != Failures.SUCCESS) {
      throw copyFailed(code, "cuMemcpyDtoDAsync_v2", target, source, bytes, stream.label());
    }
  }

  static void fill8(Context context, long target, byte value, long count, StreamHandle stream) {
    context.makeCurrent();
    int code = cuda_h.cuMemsetD8Async(target, value, count, stream.value());
    if (code != Failures.SUCCESS) {
      throw fillFailed(code, "cuMemsetD8Async", target, value, count, stream.label());
    }
  }

  static void fill16(Context context, long target, short value, long count, StreamHandle stream) {
    context.makeCurrent();
    int code = cuda_h.cuMemsetD16Async(target, value, count, stream.value());
    if (code != Failures.SUCCESS) {
      throw fillFailed(code, "cuMemsetD16Async", target, value, count, stream.label());
    }
  }

  static void fill32(Context context, long target, int value, long count, StreamHandle stream) {
    context.makeCurrent();
    int code = cuda_h.cuMemsetD32Async(target, value, count, stream.value());
    if (code != Failures.SUCCESS) {
      throw fillFailed(code, "cuMemsetD32Async", target, value, count, stream.label());
    }
  }

  private static CudaException copyFailed(
      int code, String function, long target, long source, long bytes, String stream) {
    return Failures.of(
        code,
        function,
        "target",
        hex(target),
        "source",
        hex(source),
        "bytes",
        bytes,
        "stream",
        stream);
  }

  private static CudaException fillFailed(
      int code, String function, long target, int value, long count, String stream) {
    return Failures.of(
        code, function, "target", hex(target), "value", value, "count", count, "stream", stream);
  }

  static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }
}
