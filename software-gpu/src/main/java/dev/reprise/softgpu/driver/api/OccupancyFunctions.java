package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUoccupancyB2DSize;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.Occupancy;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.engine.KernelCode;
import java.lang.foreign.MemorySegment;

/** How many blocks of a kernel fit on a multiprocessor. */
final class OccupancyFunctions extends Functions {

  private static final int DISABLE_CACHING_OVERRIDE = 1;

  OccupancyFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      MemorySegment blocks, MemorySegment hfunc, int blockSize, long dynamicShared) {
    return activeBlocks(blocks, hfunc, blockSize, dynamicShared);
  }

  int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      MemorySegment blocks, MemorySegment hfunc, int blockSize, long dynamicShared, int flags) {
    checkFlags(flags);
    return activeBlocks(blocks, hfunc, blockSize, dynamicShared);
  }

  private static void checkFlags(int flags) {
    if (flags != 0 && flags != DISABLE_CACHING_OVERRIDE) {
      throw CudaFailure.invalidValue("occupancy flags " + flags);
    }
  }

  private int activeBlocks(
      MemorySegment blocks, MemorySegment hfunc, int blockSize, long dynamicShared) {
    context();
    KernelCode code = function(hfunc).code();
    CallerMemory.required(blocks, "numBlocks");
    checkBlock(blockSize, dynamicShared);
    CallerMemory.writeInt(
        blocks, "numBlocks", Occupancy.blocksPerMultiprocessor(code, blockSize, dynamicShared));
    return SUCCESS;
  }

  private static void checkBlock(int blockSize, long dynamicShared) {
    if (blockSize <= 0 || dynamicShared < 0) {
      throw CudaFailure.invalidValue(
          "blocks of %d threads and %d bytes".formatted(blockSize, dynamicShared));
    }
  }

  int cuOccupancyMaxPotentialBlockSize(
      MemorySegment minGridSize,
      MemorySegment blockSize,
      MemorySegment hfunc,
      MemorySegment dynamicSharedOfBlock,
      long dynamicShared,
      int blockSizeLimit) {
    return bestBlock(
        minGridSize, blockSize, hfunc, dynamicSharedOfBlock, dynamicShared, blockSizeLimit);
  }

  int cuOccupancyMaxPotentialBlockSizeWithFlags(
      MemorySegment minGridSize,
      MemorySegment blockSize,
      MemorySegment hfunc,
      MemorySegment dynamicSharedOfBlock,
      long dynamicShared,
      int blockSizeLimit,
      int flags) {
    checkFlags(flags);
    return bestBlock(
        minGridSize, blockSize, hfunc, dynamicSharedOfBlock, dynamicShared, blockSizeLimit);
  }

  /** The largest block, in whole warps, of those that keep the most threads resident. */
  private int bestBlock(
      MemorySegment minGridSize,
      MemorySegment blockSize,
      MemorySegment hfunc,
      MemorySegment dynamicSharedOfBlock,
      long dynamicShared,
      int blockSizeLimit) {
    int multiprocessors = context().device().model().multiprocessors();
    KernelCode code = function(hfunc).code();
    CallerMemory.required(minGridSize, "minGridSize");
    CallerMemory.required(blockSize, "blockSize");
    if (dynamicShared < 0 || blockSizeLimit < 0) {
      throw CudaFailure.invalidValue(
          "%d bytes and a limit of %d threads".formatted(dynamicShared, blockSizeLimit));
    }
    int limit = code.maxThreadsPerBlock();
    if (blockSizeLimit > 0) {
      limit = Math.min(limit, blockSizeLimit);
    }
    int best = 0;
    int bestResident = 0;
    int bestBlocks = 0;
    for (int threads = limit; threads > 0; threads = (threads - 1) / 32 * 32) {
      long shared =
          CallerMemory.isNull(dynamicSharedOfBlock)
              ? dynamicShared
              : CUoccupancyB2DSize.invoke(dynamicSharedOfBlock, threads);
      int blocks = Occupancy.blocksPerMultiprocessor(code, threads, shared);
      if (blocks * threads > bestResident) {
        best = threads;
        bestResident = blocks * threads;
        bestBlocks = blocks;
      }
    }
    CallerMemory.writeInt(blockSize, "blockSize", best);
    CallerMemory.writeInt(minGridSize, "minGridSize", bestBlocks * multiprocessors);
    return SUCCESS;
  }

  int cuOccupancyAvailableDynamicSMemPerBlock(
      MemorySegment bytes, MemorySegment hfunc, int blocks, int blockSize) {
    context();
    KernelCode code = function(hfunc).code();
    CallerMemory.required(bytes, "dynamicSmemSize");
    checkBlock(blockSize, 0);
    if (blocks <= 0 || Occupancy.blocksPerMultiprocessor(code, blockSize, 0) < blocks) {
      throw CudaFailure.invalidValue(
          "%d blocks of %d threads of %s do not fit on a multiprocessor"
              .formatted(blocks, blockSize, code.name()));
    }
    long low = 0;
    long high = DeviceModel.SHARED_PER_BLOCK_OPTIN;
    while (low < high) {
      long middle = (low + high + 1) / 2;
      if (Occupancy.blocksPerMultiprocessor(code, blockSize, middle) >= blocks) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    CallerMemory.writeLong(bytes, "dynamicSmemSize", low);
    return SUCCESS;
  }
}
