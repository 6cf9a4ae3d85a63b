package dev.reprise.cuda;

import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemAllocationProp;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Checked calls of CUDA Driver API, "Virtual Memory Management". */
final class VirtualMemoryCalls {

  private VirtualMemoryCalls() {}

  private static MemorySegment properties(Arena arena, int device) {
    MemorySegment prop = CUmemAllocationProp.allocate(arena).fill((byte) 0);
    CUmemAllocationProp.type(prop, cuda_h.CU_MEM_ALLOCATION_TYPE_PINNED());
    locate(CUmemAllocationProp.location(prop), device);
    return prop;
  }

  private static void locate(MemorySegment location, int device) {
    CUmemLocation.type(location, cuda_h.CU_MEM_LOCATION_TYPE_DEVICE());
    CUmemLocation.id(location, device);
  }

  static long granularity(Context context, int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment prop = properties(arena, device);
      int option = cuda_h.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED();
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuMemGetAllocationGranularity(scratch.first, prop, option);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuMemGetAllocationGranularity", "device", device);
      }
      return scratch.firstLong();
    }
  }

  static long reserve(Context context, String label, long bytes) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuMemAddressReserve(scratch.first, bytes, 0, 0, 0);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemAddressReserve", "label", label, "bytes", bytes);
    }
    return scratch.firstLong();
  }

  static void free(Context context, String label, long address, long bytes) {
    context.makeCurrent();
    int code = cuda_h.cuMemAddressFree(address, bytes);
    if (code != Failures.SUCCESS) {
      throw failed(code, "cuMemAddressFree", label, address, bytes);
    }
  }

  static long create(Context context, int device, String label, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment prop = properties(arena, device);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuMemCreate(scratch.first, bytes, prop, 0);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuMemCreate", "label", label, "bytes", bytes);
      }
      return scratch.firstLong();
    }
  }

  static void release(Context context, String label, long memory) {
    context.makeCurrent();
    int code = cuda_h.cuMemRelease(memory);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuMemRelease", "label", label);
    }
  }

  static void map(Context context, String label, long address, long bytes, long memory) {
    context.makeCurrent();
    int code = cuda_h.cuMemMap(address, bytes, 0, memory, 0);
    if (code != Failures.SUCCESS) {
      throw failed(code, "cuMemMap", label, address, bytes);
    }
  }

  static void unmap(Context context, String label, long address, long bytes) {
    context.makeCurrent();
    int code = cuda_h.cuMemUnmap(address, bytes);
    if (code != Failures.SUCCESS) {
      throw failed(code, "cuMemUnmap", label, address, bytes);
    }
  }

  /** Says that a device can read and write memory, or that it cannot. */
  static MemorySegment access(Arena arena, int device, boolean open) {
    MemorySegment access = CUmemAccessDesc.allocate(arena).fill((byte) 0);
    enter(access, device, open);
    return access;
  }

  /** That some devices may read and write. */
  static MemorySegment access(Arena arena, List<Integer> devices) {
    MemorySegment all = CUmemAccessDesc.allocateArray(devices.size(), arena).fill((byte) 0);
    for (int i = 0; i < devices.size(); i++) {
      enter(CUmemAccessDesc.asSlice(all, i), devices.get(i), true);
    }
    return all;
  }

  private static void enter(MemorySegment access, int device, boolean open) {
    locate(CUmemAccessDesc.location(access), device);
    CUmemAccessDesc.flags(
        access,
        open
            ? cuda_h.CU_MEM_ACCESS_FLAGS_PROT_READWRITE()
            : cuda_h.CU_MEM_ACCESS_FLAGS_PROT_NONE());
  }

  /** Lets a device access what is mapped, or no longer. */
  static void setAccess(
      Context context, int device, String label, long address, long bytes, boolean open) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = access(arena, device, open);
      context.makeCurrent();
      int code = cuda_h.cuMemSetAccess(address, bytes, access, 1);
      if (code != Failures.SUCCESS) {
        throw failed(code, "cuMemSetAccess", label, address, bytes);
      }
    }
  }

  private static CudaException failed(
      int code, String function, String label, long address, long bytes) {
    return Failures.of(
        code, function, "label", label, "address", MemoryCalls.hex(address), "bytes", bytes);
  }
}
