package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemAllocationProp;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Device;
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

  /** Where addresses are reserved: on the device of the current context, or else the first one. */
  private VirtualMemory virtual() {
    Context current = thread().current();
    Device device = current == null ? device(0) : current.device();
    return device.memory().virtual();
  }

  /** What a reserved address belongs to. */
  private VirtualMemory virtual(long address) {
    for (Device device : gpu().devices()) {
      if (device.memory().virtual().reserved(address)) {
        return device.memory().virtual();
      }
    }
    return virtual();
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

  private Device checkProperties(MemorySegment prop) {
    MemorySegment p = CallerMemory.struct(prop, CUmemAllocationProp.sizeof(), "prop");
    if (CUmemAllocationProp.type(p) != TYPE_PINNED) {
      throw CudaFailure.invalidValue("allocation type " + CUmemAllocationProp.type(p));
    }
    Device device = checkLocation(CUmemAllocationProp.location(p));
    if (CUmemAllocationProp.requestedHandleTypes(p) != 0) {
      throw CudaFailure.notSupported("memory that other processes can open");
    }
    MemorySegment flags = CUmemAllocationProp.allocFlags(p);
    if (CUmemAllocationProp.allocFlags.compressionType(flags) != 0) {
      throw CudaFailure.notSupported("compressible memory");
    }
    return device;
  }

  private Device checkLocation(MemorySegment location) {
    int type = CUmemLocation.type(location);
    if (type < 1 || type > LAST_LOCATION) {
      throw CudaFailure.invalidValue("memory location type " + type);
    }
    if (type != LOCATION_DEVICE) {
      throw CudaFailure.notSupported("mapping memory of the host, location type " + type);
    }
    return device(CUmemLocation.id(location));
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
    virtual(ptr).free(ptr, size);
    return SUCCESS;
  }

  int cuMemCreate(MemorySegment handle, long size, MemorySegment prop, long flags) {
    gpu().device();
    CallerMemory.required(handle, "handle");
    checkNoFlags(flags);
    VirtualMemory virtual = checkProperties(prop).memory().virtual();
    CallerMemory.writeLong(handle, "handle", virtual.create(handles(), size).handle());
    return SUCCESS;
  }

  int cuMemRelease(long handle) {
    gpu().device();
    PhysicalBlock block = block(handle);
    block.home().release(handles(), block);
    return SUCCESS;
  }

  int cuMemRetainAllocationHandle(MemorySegment handle, MemorySegment addr) {
    VirtualMemory virtual = virtual(addr.address());
    CallerMemory.required(handle, "handle");
    CallerMemory.writeLong(handle, "handle", virtual.retain(handles(), addr.address()).handle());
    return SUCCESS;
  }

  int cuMemGetAllocationPropertiesFromHandle(MemorySegment prop, long handle) {
    gpu().device();
    PhysicalBlock block = block(handle);
    MemorySegment p = CallerMemory.struct(prop, CUmemAllocationProp.sizeof(), "prop");
    p.fill((byte) 0);
    CUmemAllocationProp.type(p, TYPE_PINNED);
    CUmemLocation.type(CUmemAllocationProp.location(p), LOCATION_DEVICE);
    CUmemLocation.id(CUmemAllocationProp.location(p), ordinal(block.home()));
    return SUCCESS;
  }

  private int ordinal(VirtualMemory virtual) {
    for (Device device : gpu().devices()) {
      if (device.memory().virtual() == virtual) {
        return device.ordinal();
      }
    }
    throw new AssertionError("memory of no device");
  }

  int cuMemMap(long ptr, long size, long offset, long handle, long flags) {
    checkNoFlags(flags);
    if (offset != 0) {
      throw CudaFailure.invalidValue("an offset of " + offset + "; it must be 0");
    }
    VirtualMemory virtual = virtual(ptr);
    PhysicalBlock block = block(handle);
    if (block.home() != virtual) {
      throw CudaFailure.notSupported(
          "mapping memory of device %d to addresses reserved on device %d"
              .formatted(ordinal(block.home()), ordinal(virtual)));
    }
    virtual.map(ptr, size, block);
    return SUCCESS;
  }

  int cuMemUnmap(long ptr, long size) {
    virtual(ptr).unmap(ptr, size);
    return SUCCESS;
  }

  int cuMemSetAccess(long ptr, long size, MemorySegment desc, long count) {
    VirtualMemory virtual = virtual(ptr);
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
    }
    for (int i = 0; i < count; i++) {
      MemorySegment one = CUmemAccessDesc.asSlice(all, i);
      Device reader = checkLocation(CUmemAccessDesc.location(one));
      boolean accessible = CUmemAccessDesc.flags(one) == ACCESS_READ_WRITE;
      if (reader.memory().virtual() == virtual) {
        virtual.setAccess(ptr, size, accessible);
      } else {
        virtual.setAccess(ptr, size, reader.ordinal(), accessible);
      }
    }
    return SUCCESS;
  }

  int cuMemGetAccess(MemorySegment flags, MemorySegment location, long ptr) {
    VirtualMemory virtual = virtual(ptr);
    Device reader =
        checkLocation(CallerMemory.struct(location, CUmemLocation.sizeof(), "location"));
    boolean accessible =
        reader.memory().virtual() == virtual
            ? virtual.accessible(ptr)
            : virtual.accessible(ptr, reader.ordinal());
    CallerMemory.writeLong(flags, "flags", accessible ? ACCESS_READ_WRITE : ACCESS_NONE);
    return SUCCESS;
  }
}
