package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemAllocationProp;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.memory.PhysicalBlock;
import dev.reprise.softgpu.driver.memory.VirtualMemory;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/** Virtual memory management. The calls belong to the device and need no context. */
final class VirtualMemoryFunctions extends Functions {

  private static final int TYPE_PINNED = 1;
  private static final int LOCATION_DEVICE = 1;
  private static final int LAST_LOCATION = 4;
  private static final int ACCESS_NONE = 0;
  private static final int ACCESS_READ = 1;
  private static final int ACCESS_READ_WRITE = 3;

  VirtualMemoryFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  private VirtualMemory virtual() {
    return gpu().device().memory().virtual();
  }

  private PhysicalBlock block(long handle) {
    PhysicalBlock block = handles().find(handle, PhysicalBlock.class);
    if (block == null) {
      throw CudaFailure.invalidValue("0x%x is no live memory handle".formatted(handle));
    }
    return block;
  }

  int cuMemGetAllocationGranularity(MemorySegment granularity, MemorySegment prop, int option) {
    gpu().device();
    checkProperties(prop);
    if (option != 0 && option != 1) {
      throw CudaFailure.invalidValue("granularity option " + option);
    }
    CallerMemory.writeLong(granularity, "granularity", VirtualMemory.GRANULARITY);
    return SUCCESS;
  }

  private void checkProperties(MemorySegment prop) {
    MemorySegment p = CallerMemory.struct(prop, CUmemAllocationProp.sizeof(), "prop");
    if (CUmemAllocationProp.type(p) != TYPE_PINNED) {
      throw CudaFailure.invalidValue("allocation type " + CUmemAllocationProp.type(p));
    }
    checkLocation(CUmemAllocationProp.location(p));
    if (CUmemAllocationProp.requestedHandleTypes(p) != 0) {
      throw CudaFailure.notSupported("memory that other processes can open");
    }
    MemorySegment flags = CUmemAllocationProp.allocFlags(p);
    if (CUmemAllocationProp.allocFlags.compressionType(flags) != 0) {
      throw CudaFailure.notSupported("compressible memory");
    }
  }

  private void checkLocation(MemorySegment location) {
    int type = CUmemLocation.type(location);
    if (type < 1 || type > LAST_LOCATION) {
      throw CudaFailure.invalidValue("memory location type " + type);
    }
    if (type != LOCATION_DEVICE) {
      throw CudaFailure.notSupported("mapping memory of the host, location type " + type);
    }
    device(CUmemLocation.id(location));
  }

  int cuMemAddressReserve(MemorySegment ptr, long size, long alignment, long addr, long flags) {
    VirtualMemory virtual = virtual();
    CallerMemory.required(ptr, "ptr");
    checkNoFlags(flags);
    // The wanted address is a hint; the addresses here are given out in order.
    CallerMemory.writeLong(ptr, "ptr", virtual.reserve(size, alignment));
    return SUCCESS;
  }

  private static void checkNoFlags(long flags) {
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
  }

  int cuMemAddressFree(long ptr, long size) {
    virtual().free(ptr, size);
    return SUCCESS;
  }

  int cuMemCreate(MemorySegment handle, long size, MemorySegment prop, long flags) {
    VirtualMemory virtual = virtual();
    CallerMemory.required(handle, "handle");
    checkNoFlags(flags);
    checkProperties(prop);
    CallerMemory.writeLong(handle, "handle", virtual.create(handles(), size).handle());
    return SUCCESS;
  }

  int cuMemRelease(long handle) {
    virtual().release(handles(), block(handle));
    return SUCCESS;
  }

  int cuMemRetainAllocationHandle(MemorySegment handle, MemorySegment addr) {
    VirtualMemory virtual = virtual();
    CallerMemory.required(handle, "handle");
    CallerMemory.writeLong(handle, "handle", virtual.retain(handles(), addr.address()).handle());
    return SUCCESS;
  }

  int cuMemGetAllocationPropertiesFromHandle(MemorySegment prop, long handle) {
    gpu().device();
    block(handle);
    MemorySegment p = CallerMemory.struct(prop, CUmemAllocationProp.sizeof(), "prop");
    p.fill((byte) 0);
    CUmemAllocationProp.type(p, TYPE_PINNED);
    CUmemLocation.type(CUmemAllocationProp.location(p), LOCATION_DEVICE);
    return SUCCESS;
  }

  int cuMemMap(long ptr, long size, long offset, long handle, long flags) {
    checkNoFlags(flags);
    if (offset != 0) {
      throw CudaFailure.invalidValue("an offset of " + offset + "; it must be 0");
    }
    virtual().map(ptr, size, block(handle));
    return SUCCESS;
  }

  int cuMemUnmap(long ptr, long size) {
    virtual().unmap(ptr, size);
    return SUCCESS;
  }

  int cuMemSetAccess(long ptr, long size, MemorySegment desc, long count) {
    VirtualMemory virtual = virtual();
    if (count < 1) {
      throw CudaFailure.invalidValue(count + " access descriptors");
    }
    MemorySegment all = CallerMemory.struct(desc, CUmemAccessDesc.sizeof() * count, "desc");
    for (int i = 0; i < count; i++) {
      MemorySegment one = CUmemAccessDesc.asSlice(all, i);
      checkLocation(CUmemAccessDesc.location(one));
      int access = CUmemAccessDesc.flags(one);
      if (access == ACCESS_READ) {
        throw CudaFailure.notSupported("mapped memory that can only be read");
      }
      if (access != ACCESS_NONE && access != ACCESS_READ_WRITE) {
        throw CudaFailure.invalidValue("access flags " + access);
      }
      virtual.setAccess(ptr, size, access == ACCESS_READ_WRITE);
    }
    return SUCCESS;
  }

  int cuMemGetAccess(MemorySegment flags, MemorySegment location, long ptr) {
    VirtualMemory virtual = virtual();
    checkLocation(CallerMemory.struct(location, CUmemLocation.sizeof(), "location"));
    int access = virtual.accessible(ptr) ? ACCESS_READ_WRITE : ACCESS_NONE;
    CallerMemory.writeLong(flags, "flags", access);
    return SUCCESS;
  }
}
