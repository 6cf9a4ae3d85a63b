package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUlaunchConfig;
import dev.reprise.bindings.cuda.CUoccupancyB2DSize;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.Occupancy;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.operation.LaunchCluster;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Dim3;
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

  /** What a launch configuration holds of its shape. */
  private LaunchArguments.Shape shape(MemorySegment c) {
    return new LaunchArguments.Shape(
        CUlaunchConfig.gridDimX(c),
        CUlaunchConfig.gridDimY(c),
        CUlaunchConfig.gridDimZ(c),
        CUlaunchConfig.blockDimX(c),
        CUlaunchConfig.blockDimY(c),
        CUlaunchConfig.blockDimZ(c),
        CUlaunchConfig.sharedMemBytes(c));
  }

  private static int blocksPerMultiprocessor(KernelCode code, LaunchArguments.Shape shape) {
    int threads = shape.blockX() * shape.blockY() * shape.blockZ();
    return Occupancy.blocksPerMultiprocessor(code, threads, shape.dynamicShared());
  }

  int cuOccupancyMaxPotentialClusterSize(
      MemorySegment clusterSize, MemorySegment hfunc, MemorySegment config) {
    MemorySegment c = CallerMemory.struct(config, CUlaunchConfig.sizeof(), "config");
    stream(context(), CUlaunchConfig.hStream(c));
    KernelFunction function = function(hfunc);
    CallerMemory.required(clusterSize, "clusterSize");
    LaunchArguments.Shape shape = shape(c);
    shape.check(function);
    Dim3 required = function.requiredCluster();
    int most = required == null ? LaunchCluster.most(function) : (int) required.count();
    boolean fits = blocksPerMultiprocessor(function.code(), shape) > 0;
    CallerMemory.writeInt(clusterSize, "clusterSize", fits ? most : 0);
    return SUCCESS;
  }

  int cuOccupancyMaxActiveClusters(
      MemorySegment numClusters, MemorySegment hfunc, MemorySegment config) {
    MemorySegment c = CallerMemory.struct(config, CUlaunchConfig.sizeof(), "config");
    Context context = stream(context(), CUlaunchConfig.hStream(c)).context();
    KernelFunction function = function(hfunc);
    CallerMemory.required(numClusters, "numClusters");
    LaunchArguments.Shape shape = shape(c);
    shape.check(function);
    KernelAttributes attributes =
        LaunchAttributes.read(CUlaunchConfig.attrs(c), CUlaunchConfig.numAttrs(c));
    Dim3 cluster = LaunchCluster.of(function, shape.grid(function), attributes);
    if (cluster == null) {
      throw new CudaFailure(
          Result.INVALID_CLUSTER_SIZE,
          "neither %s nor the configuration says how large clusters are"
              .formatted(function.code().name()));
    }
    long blocks =
        (long) blocksPerMultiprocessor(function.code(), shape)
            * context.device().model().multiprocessors();
    // The blocks of a cluster take turns, so that one cluster runs whatever its size.
    long clusters = blocks == 0 ? 0 : Math.max(1, blocks / cluster.count());
    CallerMemory.writeInt(numClusters, "numClusters", (int) clusters);
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
