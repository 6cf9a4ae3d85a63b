package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Device;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.MemoryPool;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.MemorySegment;

/** Unified addressing: what an address is. */
final class PointerFunctions extends Functions {

  private static final int MEMORY_TYPE_HOST = 1;
  private static final int MEMORY_TYPE_DEVICE = 2;
  private static final int ACCESS_READ_WRITE = 3;

  PointerFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuPointerGetAttribute(MemorySegment data, int attribute, long ptr) {
    Context context = context();
    CallerMemory.required(data, "data");
    Device home = home(context, ptr);
    Block block = home.memory().find(ptr);
    if (block == null) {
      throw CudaFailure.invalidValue("0x%x is in no live allocation".formatted(ptr));
    }
    write(data, attribute, ptr, block, home);
    return SUCCESS;
  }

  private static void write(MemorySegment data, int attribute, long ptr, Block block, Device home) {
    Allocation allocation = block.allocation();
    boolean onHost = block.kind().onHost();
    switch (attribute) {
      case 1 -> CallerMemory.writeLong(data, "data", ownerHandle(block, home));
      case 2 -> CallerMemory.writeInt(data, "data", onHost ? MEMORY_TYPE_HOST : MEMORY_TYPE_DEVICE);
      case 3 -> CallerMemory.writeLong(data, "data", ptr);
      case 4 -> {
        if (!onHost) {
          throw CudaFailure.invalidValue("the host cannot address device memory");
        }
        CallerMemory.writeLong(data, "data", ptr);
      }
      case 6, 8, 10, 15, 21 -> writeBoolean(data, false);
      case 7, 20 -> CallerMemory.writeLong(data, "data", block.id());
      case 9 -> CallerMemory.writeInt(data, "data", home.ordinal());
      case 14 -> CallerMemory.writeInt(data, "data", 0);
      case 11, 19 -> CallerMemory.writeLong(data, "data", allocation.base());
      case 12, 18 -> CallerMemory.writeLong(data, "data", allocation.size());
      case 13 -> writeBoolean(data, true);
      case 16 -> CallerMemory.writeInt(data, "data", ACCESS_READ_WRITE);
      case 17 -> {
        MemoryPool pool = block.pool();
        CallerMemory.writeLong(data, "data", pool == null ? 0 : pool.handle());
      }
      default -> throw CudaFailure.invalidValue("pointer attribute " + attribute);
    }
  }

  /** What belongs to no context is told as the primary one's. */
  private static long ownerHandle(Block block, Device home) {
    Context primary = home.primary();
    return block.owner() instanceof Context owner
        ? owner.handle()
        : primary == null ? 0 : primary.handle();
  }

  /** Boolean attributes are written as C++ {@code bool}: one byte. */
  private static void writeBoolean(MemorySegment data, boolean value) {
    CallerMemory.struct(data, 1, "data").fill((byte) (value ? 1 : 0));
  }
}
