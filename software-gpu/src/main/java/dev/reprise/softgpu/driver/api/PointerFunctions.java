package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
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
  private static final int HOST_POINTER = 4;
  private static final int SYNC_MEMOPS = 6;
  private static final int DEVICE_ORDINAL = 9;

  /** {@code CU_DEVICE_INVALID}. */
  private static final int INVALID_DEVICE = -2;

  PointerFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuPointerGetAttribute(MemorySegment data, int attribute, long ptr) {
    Context context = context();
    CallerMemory.required(data, "data");
    bytes(attribute);
    Block block = memory(context).find(ptr);
    if (block == null) {
      throw CudaFailure.invalidValue("0x%x is in no live allocation".formatted(ptr));
    }
    write(data, attribute, ptr, block, context);
    return SUCCESS;
  }

  /** Answers with nothing, and no error, for an attribute that the address does not have. */
  int cuPointerGetAttributes(int count, MemorySegment attributes, MemorySegment data, long ptr) {
    Context context = context();
    if (count <= 0) {
      throw CudaFailure.invalidValue(Integer.toUnsignedString(count) + " attributes");
    }
    long ids = CallerMemory.required(attributes, "attributes");
    long outs = CallerMemory.required(data, "data");
    for (int i = 0; i < count; i++) {
      bytes(CallerMemory.readInt(ids + (long) i * Integer.BYTES));
      if (CallerMemory.readLong(outs + (long) i * Long.BYTES) == 0) {
        throw CudaFailure.invalidValue("data[%d] is null".formatted(i));
      }
    }
    Block block = memory(context).find(ptr);
    for (int i = 0; i < count; i++) {
      int attribute = CallerMemory.readInt(ids + (long) i * Integer.BYTES);
      MemorySegment out =
          MemorySegment.ofAddress(CallerMemory.readLong(outs + (long) i * Long.BYTES));
      boolean has = block != null && (attribute != HOST_POINTER || block.kind().onHost());
      if (block != null && has) {
        write(out, attribute, ptr, block, context);
      } else if (attribute == DEVICE_ORDINAL) {
        CallerMemory.writeInt(out, "data", INVALID_DEVICE);
      } else {
        CallerMemory.struct(out, bytes(attribute), "data").fill((byte) 0);
      }
    }
    return SUCCESS;
  }

  int cuPointerSetAttribute(MemorySegment value, int attribute, long ptr) {
    Context context = context();
    long address = CallerMemory.required(value, "value");
    if (attribute != SYNC_MEMOPS) {
      throw CudaFailure.invalidValue("pointer attribute " + attribute + " cannot be set");
    }
    Block block = memory(context).find(ptr);
    if (block == null) {
      throw CudaFailure.invalidValue("0x%x is in no live allocation".formatted(ptr));
    }
    boolean synchronous = CallerMemory.readInt(address) != 0;
    if (synchronous) {
      context.legacy().tail().awaitOnHost();
    }
    memory(context).alwaysSynchronous(block, synchronous);
    return SUCCESS;
  }

  /** How many bytes an attribute has; {@code CUDA_ERROR_INVALID_VALUE} for one that is none. */
  private static int bytes(int attribute) {
    return switch (attribute) {
      case 1, 3, 4, 7, 11, 12, 17, 18, 19, 20 -> Long.BYTES;
      case 2, 9, 14, 16 -> Integer.BYTES;
      case 6, 8, 10, 13, 15, 21 -> 1;
      case 5 -> throw CudaFailure.notSupported("a token for the memory of another device");
      default -> throw CudaFailure.invalidValue("there is no pointer attribute " + attribute);
    };
  }

  private void write(MemorySegment data, int attribute, long ptr, Block block, Context context) {
    Allocation allocation = block.allocation();
    boolean onHost = block.kind().onHost();
    switch (attribute) {
      case 1 -> CallerMemory.writeLong(data, "data", ownerHandle(block, context));
      case 2 -> CallerMemory.writeInt(data, "data", onHost ? MEMORY_TYPE_HOST : MEMORY_TYPE_DEVICE);
      case 3 -> CallerMemory.writeLong(data, "data", ptr);
      case HOST_POINTER -> {
        if (!onHost) {
          throw CudaFailure.invalidValue("the host cannot address device memory");
        }
        CallerMemory.writeLong(data, "data", ptr);
      }
      case SYNC_MEMOPS -> writeBoolean(data, memory(context).alwaysSynchronous(block));
      case 8, 10, 15, 21 -> writeBoolean(data, false);
      case 7, 20 -> CallerMemory.writeLong(data, "data", block.id());
      case DEVICE_ORDINAL, 14 -> CallerMemory.writeInt(data, "data", 0);
      case 11, 19 -> CallerMemory.writeLong(data, "data", allocation.base());
      case 12, 18 -> CallerMemory.writeLong(data, "data", allocation.size());
      case 13 -> writeBoolean(data, true);
      case 16 -> CallerMemory.writeInt(data, "data", ACCESS_READ_WRITE);
      case 17 -> {
        MemoryPool pool = block.pool();
        CallerMemory.writeLong(data, "data", pool == null ? 0 : pool.handle());
      }
      default -> throw new AssertionError(attribute);
    }
  }

  private static long ownerHandle(Block block, Context context) {
    return block.owner() instanceof Context owner ? owner.handle() : context.handle();
  }

  /** Boolean attributes are written as C++ {@code bool}: one byte. */
  private static void writeBoolean(MemorySegment data, boolean value) {
    CallerMemory.struct(data, 1, "data").fill((byte) (value ? 1 : 0));
  }
}
