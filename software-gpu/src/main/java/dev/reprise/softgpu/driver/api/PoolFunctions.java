package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Device;
import dev.reprise.softgpu.driver.context.QueuedFrees;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.GraphAllocation;
import dev.reprise.softgpu.driver.memory.GraphMemory;
import dev.reprise.softgpu.driver.memory.MemoryPool;
import dev.reprise.softgpu.driver.operation.MemoryAllocation;
import dev.reprise.softgpu.driver.operation.MemoryFree;
import dev.reprise.softgpu.driver.operation.PoolAllocation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;

/** Stream-ordered allocation, and the pools that it takes memory from. */
final class PoolFunctions extends Functions {

  private static final int ALLOCATION_PINNED = 1;
  private static final int ALLOCATION_MANAGED = 2;
  private static final int LOCATION_NONE = 0;
  private static final int LOCATION_DEVICE = 1;
  private static final int LOCATION_HOST = 2;
  private static final int LOCATION_HOST_NUMA = 3;
  private static final int ACCESS_NONE = 0;
  private static final int ACCESS_READ = 1;
  private static final int ACCESS_READ_WRITE = 3;

  PoolFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuMemAllocAsync(MemorySegment dptr, long bytes, MemorySegment hStream) {
    Context context = context();
    return allocate(context, dptr, bytes, context.pool(), hStream);
  }

  int cuMemAllocFromPoolAsync(
      MemorySegment dptr, long bytes, MemorySegment pool, MemorySegment hStream) {
    return allocate(context(), dptr, bytes, pool(pool), hStream);
  }

  private int allocate(
      Context context, MemorySegment dptr, long bytes, MemoryPool pool, MemorySegment hStream) {
    Stream stream = stream(context, hStream);
    CallerMemory.required(dptr, "dptr");
    if (captures().capturing(stream)) {
      GraphMemory graphMemory = device(pool.ordinal()).memory().graphMemory();
      MemoryAllocation allocation =
          MemoryAllocation.ofStream(graphMemory, bytes, pool, gpu().devices().size());
      stream.perform(allocation);
      CallerMemory.writeLong(dptr, "dptr", allocation.address());
      return SUCCESS;
    }
    Block block = allocate(bytes, pool, stream);
    if (context.device().tracing().full()) {
      stream.submit(new PoolAllocation(block), List.of());
    }
    CallerMemory.writeLong(dptr, "dptr", block.allocation().base());
    return SUCCESS;
  }

  /** Takes the room of frees that are still queued where there is no other. */
  private Block allocate(long bytes, MemoryPool pool, Stream stream) {
    // Asked before the first attempt: a free that ends between the two would be missed afterwards.
    Device device = device(pool.ordinal());
    Iterator<QueuedFrees.Free> queued = device.frees().startingWith(stream).iterator();
    while (true) {
      try {
        return allocate(device, bytes, pool);
      } catch (CudaFailure e) {
        if (e.result() != Result.OUT_OF_MEMORY || !lend(queued, bytes, pool, stream)) {
          throw e;
        }
      }
    }
  }

  private static boolean lend(
      Iterator<QueuedFrees.Free> queued, long bytes, MemoryPool pool, Stream stream) {
    while (queued.hasNext()) {
      QueuedFrees.Free free = queued.next();
      if (free.pool() == pool || pool.fits(bytes)) {
        free.lendTo(stream);
        return true;
      }
    }
    return false;
  }

  private static Block allocate(Device device, long bytes, MemoryPool pool) {
    long counted = Math.max(bytes, 0);
    if (!pool.take(counted)) {
      throw new CudaFailure(
          Result.OUT_OF_MEMORY,
          "%d bytes go beyond the limit of %s, of which %d are in use"
              .formatted(bytes, pool, pool.used()));
    }
    try {
      return device.memory().allocate(bytes, device, pool);
    } catch (CudaFailure e) {
      pool.freed(counted);
      throw e;
    }
  }

  int cuMemFreeAsync(long dptr, MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    if (captures().capturing(stream)) {
      stream.perform(GraphMemoryFunctions.free(this, dptr));
      return SUCCESS;
    }
    for (Device device : gpu().devices()) {
      GraphMemory graphMemory = device.memory().graphMemory();
      GraphAllocation ofGraph = graphMemory.find(dptr);
      if (ofGraph != null) {
        MemoryFree free = new MemoryFree(graphMemory, ofGraph);
        graphMemory.free(ofGraph, () -> stream.submit(free.alsoAfterFault(), List.of()));
        return SUCCESS;
      }
    }
    Device home = home(context, dptr);
    Block block = home.memory().findBase(dptr);
    if (block == null || block.pool() == null) {
      throw CudaFailure.invalidValue(
          "0x%x is not the start of live memory from cuMemAllocAsync".formatted(dptr));
    }
    home.frees().submit(block, block.pool(), stream);
    return SUCCESS;
  }

  int cuDeviceGetDefaultMemPool(MemorySegment pool, int dev) {
    CallerMemory.writeLong(pool, "pool_out", device(dev).pool().handle());
    return SUCCESS;
  }

  int cuDeviceGetMemPool(MemorySegment pool, int dev) {
    CallerMemory.writeLong(pool, "pool", device(dev).currentPool().handle());
    return SUCCESS;
  }

  int cuDeviceSetMemPool(int dev, MemorySegment pool) {
    MemoryPool chosen = pool(pool);
    if (device(dev).ordinal() != chosen.ordinal()) {
      throw CudaFailure.invalidValue(
          "%s has memory of device %d, not of %d".formatted(chosen, chosen.ordinal(), dev));
    }
    device(dev).currentPool(chosen);
    return SUCCESS;
  }

  int cuMemGetDefaultMemPool(MemorySegment pool, MemorySegment location, int type) {
    return cuDeviceGetDefaultMemPool(pool, deviceOf(location, type));
  }

  int cuMemGetMemPool(MemorySegment pool, MemorySegment location, int type) {
    return cuDeviceGetMemPool(pool, deviceOf(location, type));
  }

  int cuMemSetMemPool(MemorySegment location, int type, MemorySegment pool) {
    return cuDeviceSetMemPool(deviceOf(location, type), pool);
  }

  /** The number of the device that a location names, of which there are pools here. */
  private int deviceOf(MemorySegment location, int type) {
    gpu().device();
    MemorySegment place = CallerMemory.struct(location, CUmemLocation.sizeof(), "location");
    int kind = CUmemLocation.type(place);
    if (type != ALLOCATION_PINNED && type != ALLOCATION_MANAGED) {
      throw CudaFailure.invalidValue("there is no allocation type " + type);
    }
    if (kind != LOCATION_DEVICE
        && kind != LOCATION_HOST
        && kind != LOCATION_HOST_NUMA
        && (kind != LOCATION_NONE || type != ALLOCATION_MANAGED)) {
      throw CudaFailure.invalidValue("a pool of location type " + kind);
    }
    if (type == ALLOCATION_MANAGED) {
      throw CudaFailure.notSupported("a pool of managed memory");
    }
    checkLocation(place);
    return CUmemLocation.id(place);
  }

  int cuMemPoolCreate(MemorySegment pool, MemorySegment poolProps) {
    gpu().device();
    CallerMemory.required(pool, "pool");
    MemorySegment props = CallerMemory.struct(poolProps, CUmemPoolProps.sizeof(), "poolProps");
    if (CUmemPoolProps.allocType(props) != ALLOCATION_PINNED) {
      throw CudaFailure.invalidValue("allocation type " + CUmemPoolProps.allocType(props));
    }
    if (CUmemPoolProps.handleTypes(props) != 0) {
      throw CudaFailure.notSupported("a pool that other processes can open");
    }
    Device device = checkLocation(CUmemPoolProps.location(props));
    long most = CUmemPoolProps.maxSize(props);
    if (most < 0) {
      throw CudaFailure.invalidValue("a pool of " + Long.toUnsignedString(most) + " bytes");
    }
    MemoryPool made = handles().publish(new MemoryPool(handles(), device.ordinal(), most));
    CallerMemory.writeLong(pool, "pool", made.handle());
    return SUCCESS;
  }

  private Device checkLocation(MemorySegment location) {
    int type = CUmemLocation.type(location);
    if (type != LOCATION_DEVICE) {
      throw CudaFailure.notSupported("a pool of memory of location type " + type);
    }
    return device(CUmemLocation.id(location));
  }

  /** What is allocated from it stays, and can still be freed. */
  int cuMemPoolDestroy(MemorySegment pool) {
    MemoryPool known = pool(pool);
    Device device = device(known.ordinal());
    if (known == device.pool()) {
      throw CudaFailure.invalidValue("the default pool cannot be destroyed");
    }
    handles().remove(known);
    if (device.currentPool() == known) {
      device.currentPool(device.pool());
    }
    return SUCCESS;
  }

  int cuMemPoolSetAccess(MemorySegment pool, MemorySegment map, long count) {
    MemoryPool known = pool(pool);
    MemorySegment all = CallerMemory.struct(map, CUmemAccessDesc.sizeof() * count, "map");
    for (int i = 0; i < count; i++) {
      MemorySegment one = CUmemAccessDesc.asSlice(all, i);
      Device reader = checkLocation(CUmemAccessDesc.location(one));
      int access = CUmemAccessDesc.flags(one);
      if (reader.ordinal() == known.ordinal() && access != ACCESS_READ_WRITE) {
        throw CudaFailure.invalidValue("the device of a pool can always access it");
      }
      if (access == ACCESS_READ) {
        throw CudaFailure.notSupported("a pool that another device can only read");
      }
      if (access != ACCESS_NONE && access != ACCESS_READ_WRITE) {
        throw CudaFailure.invalidValue("access flags " + access);
      }
    }
    for (int i = 0; i < count; i++) {
      MemorySegment one = CUmemAccessDesc.asSlice(all, i);
      known.accessibleFrom(
          CUmemLocation.id(CUmemAccessDesc.location(one)),
          CUmemAccessDesc.flags(one) == ACCESS_READ_WRITE);
    }
    return SUCCESS;
  }

  int cuMemPoolGetAccess(MemorySegment flags, MemorySegment pool, MemorySegment location) {
    MemoryPool known = pool(pool);
    Device reader =
        checkLocation(CallerMemory.struct(location, CUmemLocation.sizeof(), "location"));
    CallerMemory.writeInt(
        flags, "flags", known.accessibleFrom(reader.ordinal()) ? ACCESS_READ_WRITE : ACCESS_NONE);
    return SUCCESS;
  }

  int cuMemPoolTrimTo(MemorySegment pool, long minBytesToKeep) {
    pool(pool);
    if (minBytesToKeep < 0) {
      throw CudaFailure.invalidValue("keeping " + minBytesToKeep + " bytes");
    }
    return SUCCESS;
  }

  int cuMemPoolGetAttribute(MemorySegment handle, int attribute, MemorySegment value) {
    MemoryPool pool = pool(handle);
    switch (attribute) {
      case 1 -> CallerMemory.writeInt(value, "value", pool.reuseFollowEventDependencies());
      case 2 -> CallerMemory.writeInt(value, "value", pool.reuseAllowOpportunistic());
      case 3 -> CallerMemory.writeInt(value, "value", pool.reuseAllowInternalDependencies());
      case 4 -> CallerMemory.writeLong(value, "value", pool.releaseThreshold());
      case 5, 7 -> CallerMemory.writeLong(value, "value", pool.used());
      case 6, 8 -> CallerMemory.writeLong(value, "value", pool.usedHigh());
      default -> throw CudaFailure.invalidValue("there is no pool attribute " + attribute);
    }
    return SUCCESS;
  }

  int cuMemPoolSetAttribute(MemorySegment handle, int attribute, MemorySegment value) {
    MemoryPool pool = pool(handle);
    long address = CallerMemory.required(value, "value");
    switch (attribute) {
      case 1 -> pool.reuseFollowEventDependencies(CallerMemory.readInt(address));
      case 2 -> pool.reuseAllowOpportunistic(CallerMemory.readInt(address));
      case 3 -> pool.reuseAllowInternalDependencies(CallerMemory.readInt(address));
      case 4 -> pool.releaseThreshold(CallerMemory.readLong(address));
      case 6, 8 -> {
        if (CallerMemory.readLong(address) != 0) {
          throw CudaFailure.invalidValue("a high-water mark can only be reset to 0");
        }
        pool.resetUsedHigh();
      }
      default -> throw CudaFailure.invalidValue("pool attribute " + attribute + " cannot be set");
    }
    return SUCCESS;
  }

  private MemoryPool pool(MemorySegment handle) {
    gpu().device();
    MemoryPool pool = handles().find(handle.address(), MemoryPool.class);
    if (pool == null) {
      throw CudaFailure.invalidValue("0x%x is no live memory pool".formatted(handle.address()));
    }
    return pool;
  }
}
