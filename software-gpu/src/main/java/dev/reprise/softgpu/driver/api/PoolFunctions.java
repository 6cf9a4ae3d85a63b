package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.memory.MemoryKind;
import dev.reprise.softgpu.driver.memory.MemoryPool;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stream-ordered allocation from the default pool. */
final class PoolFunctions extends Functions {

  /** Blocks whose free operation is enqueued. */
  private final Set<Block> beingFreed = ConcurrentHashMap.newKeySet();

  PoolFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  private final class Free implements Work {
    private final DeviceMemory memory;
    private final Block block;

    Free(DeviceMemory memory, Block block) {
      this.memory = memory;
      this.block = block;
    }

    @Override
    public void run() {
      beingFreed.remove(block);
      if (memory.free(block) && block.pool() != null) {
        block.pool().freed(block.allocation().size());
      }
    }

    @Override
    public boolean runsAfterFault() {
      return true;
    }
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
      throw CudaFailure.notSupported("a memory allocation node (cuMemAllocAsync in a capture)");
    }
    Block block;
    try {
      block = memory(context).allocate(bytes, context.device(), pool);
    } catch (CudaFailure e) {
      if (e.result() != Result.OUT_OF_MEMORY || beingFreed.isEmpty()) {
        throw e;
      }
      // Frees that are still queued may make room: a pool would wait for them as well.
      context.drain();
      block = memory(context).allocate(bytes, context.device(), pool);
    }
    pool.allocated(block.allocation().size());
    CallerMemory.writeLong(dptr, "dptr", block.allocation().base());
    return SUCCESS;
  }

  int cuMemFreeAsync(long dptr, MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    boolean capturing = captures().capturing(stream);
    Block block = memory(context).findBase(dptr);
    if (block == null || block.kind() != MemoryKind.POOL) {
      throw CudaFailure.invalidValue(
          "0x%x is not the start of live memory from cuMemAllocAsync".formatted(dptr));
    }
    if (capturing) {
      throw CudaFailure.invalidValue("0x%x is no allocation of this graph".formatted(dptr));
    }
    if (!beingFreed.add(block)) {
      throw CudaFailure.invalidValue("0x%x is being freed already".formatted(dptr));
    }
    stream.submit(new Free(memory(context), block), List.of());
    return SUCCESS;
  }

  int cuDeviceGetDefaultMemPool(MemorySegment pool, int dev) {
    CallerMemory.writeLong(pool, "pool_out", device(dev).pool().handle());
    return SUCCESS;
  }

  int cuDeviceGetMemPool(MemorySegment pool, int dev) {
    CallerMemory.writeLong(pool, "pool", device(dev).pool().handle());
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
