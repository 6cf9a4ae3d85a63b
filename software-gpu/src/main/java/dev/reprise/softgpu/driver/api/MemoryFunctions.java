package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.memory.GraphAllocation;
import dev.reprise.softgpu.driver.memory.MemoryKind;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Device memory and pinned host memory. */
final class MemoryFunctions extends Functions {

  private static final int HOST_ALLOC_FLAGS = 7;
  private static final int HOST_REGISTER_FLAGS = 15;
  private static final int IO_MEMORY = 4;

  /** That of textures, as {@code CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT} gives it. */
  private static final long PITCH_ALIGNMENT = 512;

  MemoryFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuMemAlloc_v2(MemorySegment dptr, long bytes) {
    Context context = context();
    CallerMemory.required(dptr, "dptr");
    guard().checkUnsafe(thread(), "cuMemAlloc");
    Block block = memory(context).allocate(bytes, context);
    CallerMemory.writeLong(dptr, "dptr", block.allocation().base());
    return SUCCESS;
  }

  int cuMemAllocPitch_v2(
      MemorySegment dptr, MemorySegment pPitch, long width, long height, int elementSize) {
    CallerMemory.required(pPitch, "pPitch");
    if (elementSize != 4 && elementSize != 8 && elementSize != 16) {
      throw CudaFailure.invalidValue("element size " + elementSize + "; it is 4, 8 or 16");
    }
    if (width <= 0 || height <= 0 || width > Long.MAX_VALUE - PITCH_ALIGNMENT) {
      throw CudaFailure.invalidValue(
          "%s x %s bytes".formatted(Long.toUnsignedString(width), Long.toUnsignedString(height)));
    }
    long pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    if (Math.multiplyHigh(pitch, height) != 0 || pitch * height < 0) {
      throw new CudaFailure(Result.OUT_OF_MEMORY, "%d rows of %d bytes".formatted(height, pitch));
    }
    int code = cuMemAlloc_v2(dptr, pitch * height);
    CallerMemory.writeLong(pPitch, "pPitch", pitch);
    return code;
  }

  /**
   * Waits for all work of the context first, as work may still use the memory; but not for memory
   * of a pool, of which the caller has to know that its uses are over.
   */
  int cuMemFree_v2(long dptr) {
    Context context = contextEvenIfPoisoned();
    guard().checkUnsafe(thread(), "cuMemFree");
    GraphAllocation ofGraph = memory(context).graphMemory().find(dptr);
    if (ofGraph != null) {
      memory(context).graphMemory().checkLive(ofGraph);
      context.drain();
      memory(context).graphMemory().free(ofGraph);
      return context.result().code();
    }
    Block block = memory(context).findBase(dptr);
    if (block == null || (block.kind() != MemoryKind.DEVICE && block.kind() != MemoryKind.POOL)) {
      throw notStart(memory(context), dptr, "device memory");
    }
    if (block.kind() == MemoryKind.DEVICE) {
      context.drain();
    }
    if (memory(context).free(block) && block.pool() != null) {
      block.pool().freed(block.allocation().size());
    }
    return context.result().code();
  }

  private static CudaFailure notStart(DeviceMemory memory, long address, String what) {
    @Nullable Allocation nearest = memory.space().nearest(address);
    return CudaFailure.invalidValue(
        "0x%x is not the start of live %s; the nearest allocation is %s"
            .formatted(address, what, nearest));
  }

  int cuMemGetInfo_v2(MemorySegment free, MemorySegment total) {
    AddressSpace space = memory(context()).space();
    CallerMemory.required(total, "total");
    CallerMemory.writeLong(free, "free", space.freeBytes());
    CallerMemory.writeLong(total, "total", space.capacityBytes());
    return SUCCESS;
  }

  int cuMemGetAddressRange_v2(MemorySegment pbase, MemorySegment psize, long dptr) {
    Allocation allocation = memory(context()).space().find(dptr);
    if (allocation == null) {
      throw new CudaFailure(Result.NOT_FOUND, "0x%x is in no live allocation".formatted(dptr));
    }
    CallerMemory.writeLongIfWanted(pbase, allocation.base());
    CallerMemory.writeLongIfWanted(psize, allocation.size());
    return SUCCESS;
  }

  int cuMemAllocHost_v2(MemorySegment pp, long bytes) {
    return allocateHost(pp, bytes, 0);
  }

  int cuMemHostAlloc(MemorySegment pp, long bytes, int flags) {
    return allocateHost(pp, bytes, flags);
  }

  private int allocateHost(MemorySegment pp, long bytes, int flags) {
    Context context = context();
    CallerMemory.required(pp, "pp");
    if ((flags & ~HOST_ALLOC_FLAGS) != 0) {
      throw CudaFailure.invalidValue("host allocation flags 0x%x".formatted(flags));
    }
    guard().checkUnsafe(thread(), "cuMemHostAlloc");
    Block block = memory(context).allocatePinned(bytes, flags, context);
    CallerMemory.writeLong(pp, "pp", block.allocation().base());
    return SUCCESS;
  }

  int cuMemFreeHost(MemorySegment p) {
    Context context = contextEvenIfPoisoned();
    guard().checkUnsafe(thread(), "cuMemFreeHost");
    Block block = memory(context).findBase(p.address());
    if (block == null || block.kind() != MemoryKind.PINNED) {
      throw notStart(memory(context), p.address(), "pinned memory");
    }
    context.drain();
    memory(context).free(block);
    return context.result().code();
  }

  int cuMemHostRegister_v2(MemorySegment p, long bytes, int flags) {
    Context context = context();
    long address = CallerMemory.required(p, "p");
    if ((flags & ~HOST_REGISTER_FLAGS) != 0) {
      throw CudaFailure.invalidValue("host registration flags 0x%x".formatted(flags));
    }
    if ((flags & IO_MEMORY) != 0) {
      throw CudaFailure.notSupported("registering the memory of an I/O device");
    }
    guard().checkUnsafe(thread(), "cuMemHostRegister");
    memory(context).register(address, bytes, flags, context);
    return SUCCESS;
  }

  int cuMemHostUnregister(MemorySegment p) {
    Context context = contextEvenIfPoisoned();
    long address = CallerMemory.required(p, "p");
    guard().checkUnsafe(thread(), "cuMemHostUnregister");
    Block block = memory(context).findBase(address);
    if (block == null || block.kind() != MemoryKind.REGISTERED) {
      throw new CudaFailure(
          Result.HOST_MEMORY_NOT_REGISTERED, "0x%x is not registered".formatted(address));
    }
    context.drain();
    memory(context).free(block);
    return context.result().code();
  }

  int cuMemHostGetDevicePointer_v2(MemorySegment pdptr, MemorySegment p, int flags) {
    host(context(), p);
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
    CallerMemory.writeLong(pdptr, "pdptr", p.address());
    return SUCCESS;
  }

  int cuMemHostGetFlags(MemorySegment pFlags, MemorySegment p) {
    CallerMemory.writeInt(pFlags, "pFlags", host(context(), p).flags());
    return SUCCESS;
  }

  private Block host(Context context, MemorySegment p) {
    long address = CallerMemory.required(p, "p");
    Block block = memory(context).find(address);
    if (block == null || !block.kind().onHost()) {
      throw CudaFailure.invalidValue("0x%x is not in pinned host memory".formatted(address));
    }
    return block;
  }
}
