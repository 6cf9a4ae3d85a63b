package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Stream Ordered Memory Allocator". */
final class PoolCalls {

  private PoolCalls() {}

  static MemorySegment defaultPool(Context context, int device) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuDeviceGetDefaultMemPool(scratch.first, device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceGetDefaultMemPool", "device", device);
    }
    return scratch.firstHandle();
  }

  static MemorySegment create(Context context, int device, String label) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment props = CUmemPoolProps.allocate(arena).fill((byte) 0);
      CUmemPoolProps.allocType(props, cuda_h.CU_MEM_ALLOCATION_TYPE_PINNED());
      MemorySegment location = CUmemPoolProps.location(props);
      CUmemLocation.type(location, cuda_h.CU_MEM_LOCATION_TYPE_DEVICE());
      CUmemLocation.id(location, device);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuMemPoolCreate(scratch.first, props);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuMemPoolCreate", "label", label);
      }
      return scratch.firstHandle();
    }
  }

  /** Lets the kernels of another device access the memory of a pool, or no longer. */
  static void setAccess(
      Context context, String label, MemorySegment pool, int reader, boolean open) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = VirtualMemoryCalls.access(arena, reader, open);
      context.makeCurrent();
      int code = cuda_h.cuMemPoolSetAccess(pool, access, 1);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuMemPoolSetAccess", "pool", label, "reader", reader, "open", open);
      }
    }
  }

  static void destroy(Context context, String label, MemorySegment pool) {
    context.makeCurrent();
    int code = cuda_h.cuMemPoolDestroy(pool);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemPoolDestroy", "label", label);
    }
  }

  static void trimTo(Context context, MemoryPool pool, long keepBytes) {
    context.makeCurrent();
    int code = cuda_h.cuMemPoolTrimTo(pool.value(), keepBytes);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemPoolTrimTo", "pool", pool.label(), "keepBytes", keepBytes);
    }
  }

  static long allocate(
      Context context, String label, long bytes, MemoryPool pool, StreamHandle stream) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuMemAllocFromPoolAsync(scratch.first, bytes, pool.value(), stream.value());
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuMemAllocFromPoolAsync",
          "label",
          label,
          "bytes",
          bytes,
          "pool",
          pool.label(),
          "stream",
          stream.label());
    }
    return scratch.firstLong();
  }

  static long usedBytes(Context context, MemoryPool pool) {
    return get(context, pool, cuda_h.CU_MEMPOOL_ATTR_USED_MEM_CURRENT());
  }

  static long usedHighBytes(Context context, MemoryPool pool) {
    return get(context, pool, cuda_h.CU_MEMPOOL_ATTR_USED_MEM_HIGH());
  }

  static long reservedBytes(Context context, MemoryPool pool) {
    return get(context, pool, cuda_h.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT());
  }

  static long reservedHighBytes(Context context, MemoryPool pool) {
    return get(context, pool, cuda_h.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH());
  }

  static void resetHighWaterMarks(Context context, MemoryPool pool) {
    set(context, pool, cuda_h.CU_MEMPOOL_ATTR_USED_MEM_HIGH(), 0);
    set(context, pool, cuda_h.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH(), 0);
  }

  static long releaseThreshold(Context context, MemoryPool pool) {
    return get(context, pool, cuda_h.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD());
  }

  static void setReleaseThreshold(Context context, MemoryPool pool, long bytes) {
    set(context, pool, cuda_h.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD(), bytes);
  }

  static boolean allows(Context context, MemoryPool pool, MemoryPool.Reuse reuse) {
    return (int) get(context, pool, attribute(reuse)) != 0;
  }

  static void allow(Context context, MemoryPool pool, MemoryPool.Reuse reuse, boolean allowed) {
    set(context, pool, attribute(reuse), allowed ? 1 : 0);
  }

  private static int attribute(MemoryPool.Reuse reuse) {
    return switch (reuse) {
      case FOLLOW_EVENT_DEPENDENCIES -> cuda_h.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES();
      case ALLOW_OPPORTUNISTIC -> cuda_h.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC();
      case ALLOW_INTERNAL_DEPENDENCIES ->
          cuda_h.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES();
    };
  }

  /** An attribute; those of 32 bits in the lower half. */
  private static long get(Context context, MemoryPool pool, int attribute) {
    Scratch scratch = Scratch.get();
    scratch.first.set(JAVA_LONG, 0, 0);
    context.makeCurrent();
    int code = cuda_h.cuMemPoolGetAttribute(pool.value(), attribute, scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuMemPoolGetAttribute", "pool", pool.label(), "attribute", attribute);
    }
    return scratch.firstLong();
  }

  private static void set(Context context, MemoryPool pool, int attribute, long number) {
    Scratch scratch = Scratch.get();
    // CUDA's platforms are little-endian, so the 32-bit attributes find their number as well.
    scratch.first.set(JAVA_LONG, 0, number);
    context.makeCurrent();
    int code = cuda_h.cuMemPoolSetAttribute(pool.value(), attribute, scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuMemPoolSetAttribute",
          "pool",
          pool.label(),
          "attribute",
          attribute,
          "value",
          number);
    }
  }
}
