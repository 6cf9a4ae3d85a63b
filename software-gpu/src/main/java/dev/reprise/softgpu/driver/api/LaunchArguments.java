package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.LaunchCluster;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Dim3;
import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.engine.LaunchRequest;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;

/** Checks a launch and copies its parameters. */
final class LaunchArguments {

  private static final long PARAM_END = 0;
  private static final long PARAM_BUFFER_POINTER = 1;
  private static final long PARAM_BUFFER_SIZE = 2;

  private LaunchArguments() {}

  /** The launch of a function, in the context that it was loaded into. */
  static KernelLaunch prepare(
      Context context,
      KernelFunction function,
      Shape shape,
      MemorySegment kernelParams,
      MemorySegment extra) {
    shape.check(function);
    byte[] parameters = parameters(function.code(), kernelParams, extra);
    Dim3 grid = shape.grid(function);
    LaunchRequest request =
        new LaunchRequest(
            function.code(),
            grid,
            new Dim3(shape.blockX, shape.blockY, shape.blockZ),
            shape.dynamicShared,
            parameters,
            false,
            owner(function, context).resourcesFor(function.code()),
            LaunchCluster.of(function, grid, KernelAttributes.NONE));
    return new KernelLaunch(context.device().engine(), function, request, KernelAttributes.NONE);
  }

  private static Context owner(KernelFunction function, Context current) {
    return function.image().owner() instanceof Context owner ? owner : current;
  }

  /** The numbers of a launch, unchecked. */
  record Shape(
      int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int dynamicShared) {

    /** Blocks of the grid, {@link #check checked}. */
    Dim3 grid(KernelFunction function) {
      long[] blocks = LaunchCluster.blocks(function, gridX, gridY, gridZ);
      return new Dim3((int) blocks[0], (int) blocks[1], (int) blocks[2]);
    }

    void check(KernelFunction function) {
      if (outside(gridX, DeviceModel.MAX_GRID_X)
          || outside(gridY, DeviceModel.MAX_GRID_Y)
          || outside(gridZ, DeviceModel.MAX_GRID_Z)) {
        throw CudaFailure.invalidValue(
            "a grid of %s x %s x %s blocks"
                .formatted(unsigned(gridX), unsigned(gridY), unsigned(gridZ)));
      }
      long[] blocks = LaunchCluster.blocks(function, gridX, gridY, gridZ);
      if (blocks[0] > DeviceModel.MAX_GRID_X
          || blocks[1] > DeviceModel.MAX_GRID_Y
          || blocks[2] > DeviceModel.MAX_GRID_Z) {
        throw CudaFailure.invalidValue(
            "a grid of %d x %d x %d blocks, which %s counts in clusters"
                .formatted(blocks[0], blocks[1], blocks[2], function.code().name()));
      }
      long threads = (long) blockX * blockY * blockZ;
      if (outside(blockX, DeviceModel.MAX_BLOCK_X)
          || outside(blockY, DeviceModel.MAX_BLOCK_Y)
          || outside(blockZ, DeviceModel.MAX_BLOCK_Z)
          || threads > DeviceModel.MAX_THREADS_PER_BLOCK) {
        throw CudaFailure.invalidValue(
            "a block of %s x %s x %s threads"
                .formatted(unsigned(blockX), unsigned(blockY), unsigned(blockZ)));
      }
      KernelCode code = function.code();
      if (threads > code.maxThreadsPerBlock()) {
        throw new CudaFailure(
            Result.LAUNCH_OUT_OF_RESOURCES,
            "%d threads per block; %s allows %d"
                .formatted(threads, code.name(), code.maxThreadsPerBlock()));
      }
      if (dynamicShared < 0 || dynamicShared > function.maxDynamicShared()) {
        throw CudaFailure.invalidValue(
            "%s bytes of dynamic shared memory; %s allows %d (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)"
                .formatted(unsigned(dynamicShared), code.name(), function.maxDynamicShared()));
      }
    }

    private static boolean outside(int value, int most) {
      return value < 1 || value > most;
    }

    private static String unsigned(int value) {
      return Integer.toUnsignedString(value);
    }
  }

  private static byte[] parameters(
      KernelCode code, MemorySegment kernelParams, MemorySegment extra) {
    boolean hasPointers = !CallerMemory.isNull(kernelParams);
    boolean hasBuffer = !CallerMemory.isNull(extra);
    if (hasPointers && hasBuffer) {
      throw CudaFailure.invalidValue("kernelParams and extra are both given");
    }
    if (hasBuffer) {
      return fromBuffer(code, extra.address());
    }
    byte[] block = new byte[code.parameterBytes()];
    if (code.parameterCount() == 0) {
      return block;
    }
    if (!hasPointers) {
      throw CudaFailure.invalidValue(
          "%s takes %d parameters; kernelParams and extra are null"
              .formatted(code.name(), code.parameterCount()));
    }
    for (int i = 0; i < code.parameterCount(); i++) {
      long value = CallerMemory.readLong(kernelParams.address() + (long) i * Long.BYTES);
      if (value == 0) {
        throw CudaFailure.invalidValue("kernelParams[%d] of %s is null".formatted(i, code.name()));
      }
      MemorySegment.copy(
          HostMemory.ALL, JAVA_BYTE, value, block, code.parameterOffset(i), code.parameterSize(i));
    }
    return block;
  }

  private static byte[] fromBuffer(KernelCode code, long list) {
    long buffer = 0;
    long size = 0;
    for (long at = list; ; at += 2 * Long.BYTES) {
      long name = CallerMemory.readLong(at);
      if (name == PARAM_END) {
        break;
      }
      long value = CallerMemory.readLong(at + Long.BYTES);
      if (name == PARAM_BUFFER_POINTER) {
        buffer = value;
      } else if (name == PARAM_BUFFER_SIZE) {
        size = value == 0 ? 0 : CallerMemory.readLong(value);
      } else {
        throw CudaFailure.invalidValue("extra holds the unknown name " + name);
      }
    }
    int needed = code.parameterBytes();
    // A C struct ends at a multiple of its alignment, which is at most 16 bytes for parameters.
    if (size < needed || size >= needed + 16L) {
      throw new CudaFailure(
          Result.LAUNCH_OUT_OF_RESOURCES,
          "%d bytes of parameters; %s takes %d".formatted(size, code.name(), needed));
    }
    if (buffer == 0 && needed > 0) {
      throw CudaFailure.invalidValue("extra has no CU_LAUNCH_PARAM_BUFFER_POINTER");
    }
    byte[] block = new byte[needed];
    MemorySegment.copy(HostMemory.ALL, JAVA_BYTE, buffer, block, 0, needed);
    return block;
  }
}
