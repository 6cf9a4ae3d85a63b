package dev.reprise.cuda;

import dev.reprise.bindings.cuda.CUDA_MEMCPY2D;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Memory Management", for rows and slices of rows. */
final class PitchedCalls {

  private PitchedCalls() {}

  static void copy2D(
      Context context,
      PitchedMemory target,
      PitchedMemory source,
      long rowBytes,
      long rows,
      StreamHandle stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = CUDA_MEMCPY2D.allocate(arena).fill((byte) 0);
      CUDA_MEMCPY2D.srcMemoryType(p, type(source));
      CUDA_MEMCPY2D.srcHost(p, MemorySegment.ofAddress(source.place().address()));
      CUDA_MEMCPY2D.srcDevice(p, source.place().address());
      CUDA_MEMCPY2D.srcPitch(p, source.pitch());
      CUDA_MEMCPY2D.dstMemoryType(p, type(target));
      CUDA_MEMCPY2D.dstHost(p, MemorySegment.ofAddress(target.place().address()));
      CUDA_MEMCPY2D.dstDevice(p, target.place().address());
      CUDA_MEMCPY2D.dstPitch(p, target.pitch());
      CUDA_MEMCPY2D.WidthInBytes(p, rowBytes);
      CUDA_MEMCPY2D.Height(p, rows);
      context.makeCurrent();
      int code = cuda_h.cuMemcpy2DAsync_v2(p, stream.value());
      if (code != Failures.SUCCESS) {
        throw failed(code, "cuMemcpy2DAsync_v2", target, source, rowBytes, rows, 1, stream);
      }
    }
  }

  static void copy3D(
      Context context,
      PitchedMemory target,
      PitchedMemory source,
      long rowBytes,
      long rows,
      long slices,
      StreamHandle stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = CUDA_MEMCPY3D.allocate(arena).fill((byte) 0);
      CUDA_MEMCPY3D.srcMemoryType(p, type(source));
      CUDA_MEMCPY3D.srcHost(p, MemorySegment.ofAddress(source.place().address()));
      CUDA_MEMCPY3D.srcDevice(p, source.place().address());
      CUDA_MEMCPY3D.srcPitch(p, source.pitch());
      CUDA_MEMCPY3D.srcHeight(p, source.rowsPerSlice());
      CUDA_MEMCPY3D.dstMemoryType(p, type(target));
      CUDA_MEMCPY3D.dstHost(p, MemorySegment.ofAddress(target.place().address()));
      CUDA_MEMCPY3D.dstDevice(p, target.place().address());
      CUDA_MEMCPY3D.dstPitch(p, target.pitch());
      CUDA_MEMCPY3D.dstHeight(p, target.rowsPerSlice());
      CUDA_MEMCPY3D.WidthInBytes(p, rowBytes);
      CUDA_MEMCPY3D.Height(p, rows);
      CUDA_MEMCPY3D.Depth(p, slices);
      context.makeCurrent();
      int code = cuda_h.cuMemcpy3DAsync_v2(p, stream.value());
      if (code != Failures.SUCCESS) {
        throw failed(code, "cuMemcpy3DAsync_v2", target, source, rowBytes, rows, slices, stream);
      }
    }
  }

  private static int type(PitchedMemory memory) {
    return memory.place().onHost() ? cuda_h.CU_MEMORYTYPE_HOST() : cuda_h.CU_MEMORYTYPE_DEVICE();
  }

  static void fill8(
      Context context, PitchedMemory target, byte value, long width, long rows, StreamHandle s) {
    long address = target.place().address();
    context.makeCurrent();
    check(
        cuda_h.cuMemsetD2D8Async(address, target.pitch(), value, width, rows, s.value()),
        "cuMemsetD2D8Async",
        target,
        value,
        width,
        rows,
        s);
  }

  static void fill16(
      Context context, PitchedMemory target, short value, long width, long rows, StreamHandle s) {
    long address = target.place().address();
    context.makeCurrent();
    check(
        cuda_h.cuMemsetD2D16Async(address, target.pitch(), value, width, rows, s.value()),
        "cuMemsetD2D16Async",
        target,
        value,
        width,
        rows,
        s);
  }

  static void fill32(
      Context context, PitchedMemory target, int value, long width, long rows, StreamHandle s) {
    long address = target.place().address();
    context.makeCurrent();
    check(
        cuda_h.cuMemsetD2D32Async(address, target.pitch(), value, width, rows, s.value()),
        "cuMemsetD2D32Async",
        target,
        value,
        width,
        rows,
        s);
  }

  private static void check(
      int code,
      String function,
      PitchedMemory target,
      int value,
      long width,
      long rows,
      StreamHandle stream) {
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          function,
          "target",
          MemoryCalls.hex(target.place().address()),
          "pitch",
          target.pitch(),
          "value",
          value,
          "width",
          width,
          "rows",
          rows,
          "stream",
          stream.label());
    }
  }

  static CudaException failed(
      int code,
      String function,
      PitchedMemory target,
      PitchedMemory source,
      long rowBytes,
      long rows,
      long slices,
      StreamHandle stream) {
    return Failures.of(
        code,
        function,
        "target",
        MemoryCalls.hex(target.place().address()),
        "targetPitch",
        target.pitch(),
        "source",
        MemoryCalls.hex(source.place().address()),
        "sourcePitch",
        source.pitch(),
        "rowBytes",
        rowBytes,
        "rows",
        rows,
        "slices",
        slices,
        "stream",
        stream.label());
  }
}
