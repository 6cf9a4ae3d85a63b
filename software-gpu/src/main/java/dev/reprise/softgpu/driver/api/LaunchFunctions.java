package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUlaunchAttribute;
import dev.reprise.bindings.cuda.CUlaunchConfig;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.Occupancy;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;

/** Kernel launches. */
final class LaunchFunctions extends Functions {

  private static final int COOPERATIVE = 2;

  LaunchFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuLaunchKernel(
      MemorySegment f,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      MemorySegment hStream,
      MemorySegment kernelParams,
      MemorySegment extra) {
    Context context = context();
    var shape = new LaunchArguments.Shape(gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes);
    return launch(context, f, shape, stream(context, hStream), kernelParams, extra, false);
  }

  int cuLaunchCooperativeKernel(
      MemorySegment f,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      MemorySegment hStream,
      MemorySegment kernelParams) {
    Context context = context();
    var shape = new LaunchArguments.Shape(gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes);
    checkCooperative(context, function(f), shape);
    Stream stream = stream(context, hStream);
    return launch(context, f, shape, stream, kernelParams, MemorySegment.NULL, true);
  }

  /**
   * Makes sure that a device could hold all blocks at once. Here they need not be: a block that
   * only waits gives way to those that have not begun.
   */
  private static void checkCooperative(
      Context context, KernelFunction function, LaunchArguments.Shape shape) {
    shape.check(function);
    long blocks = (long) shape.gridX() * shape.gridY() * shape.gridZ();
    int threads = shape.blockX() * shape.blockY() * shape.blockZ();
    int each = Occupancy.blocksPerMultiprocessor(function.code(), threads, shape.dynamicShared());
    long room = (long) each * context.device().model().multiprocessors();
    if (blocks > room) {
      throw new CudaFailure(
          Result.COOPERATIVE_LAUNCH_TOO_LARGE,
          "%d blocks of %d threads of %s; %d can be resident at once"
              .formatted(blocks, threads, function.code().name(), room));
    }
  }

  int cuLaunchKernelEx(
      MemorySegment config, MemorySegment f, MemorySegment kernelParams, MemorySegment extra) {
    Context context = context();
    MemorySegment c = CallerMemory.struct(config, CUlaunchConfig.sizeof(), "config");
    boolean cooperative = readAttributes(CUlaunchConfig.attrs(c), CUlaunchConfig.numAttrs(c));
    var shape =
        new LaunchArguments.Shape(
            CUlaunchConfig.gridDimX(c),
            CUlaunchConfig.gridDimY(c),
            CUlaunchConfig.gridDimZ(c),
            CUlaunchConfig.blockDimX(c),
            CUlaunchConfig.blockDimY(c),
            CUlaunchConfig.blockDimZ(c),
            CUlaunchConfig.sharedMemBytes(c));
    Stream stream = stream(context, CUlaunchConfig.hStream(c));
    if (cooperative) {
      checkCooperative(context, function(f), shape);
    }
    return launch(context, f, shape, stream, kernelParams, extra, cooperative);
  }

  private int launch(
      Context context,
      MemorySegment f,
      LaunchArguments.Shape shape,
      Stream stream,
      MemorySegment kernelParams,
      MemorySegment extra,
      boolean cooperative) {
    KernelFunction function = function(f);
    stream.perform(
        LaunchArguments.prepare(
            context.device().engine(), function, shape, kernelParams, extra, cooperative));
    return SUCCESS;
  }

  /** Checks the attributes and tells whether they ask for a cooperative launch. */
  private static boolean readAttributes(MemorySegment attributes, int count) {
    if (count == 0) {
      return false;
    }
    long bytes = CUlaunchAttribute.sizeof() * Integer.toUnsignedLong(count);
    MemorySegment array = CallerMemory.struct(attributes, bytes, "attrs");
    boolean cooperative = false;
    for (int i = 0; i < count; i++) {
      MemorySegment attribute = CUlaunchAttribute.asSlice(array, i);
      int id = CUlaunchAttribute.id(attribute);
      long value = attribute.address() + CUlaunchAttribute.value$offset();
      if (id == COOPERATIVE) {
        cooperative = CallerMemory.readInt(value) != 0;
      } else {
        checkAttribute(id, value);
      }
    }
    return cooperative;
  }

  /**
   * Accepts attributes that are hints, and those that ask for what every launch here gives. A
   * programmatic stream serialization may overlap kernels but need not.
   */
  private static void checkAttribute(int id, long value) {
    switch (id) {
      case 0, 1, 3, 5, 6, 8, 9, 10, 14, 16 -> {}
      case 4 -> {
        for (int i = 0; i < 3; i++) {
          if (Integer.compareUnsigned(CallerMemory.readInt(value + (long) i * Integer.BYTES), 1)
              > 0) {
            throw CudaFailure.notSupported("a launch in clusters of blocks");
          }
        }
      }
      case 7, 11, 12, 13 -> throw CudaFailure.notSupported("launch attribute " + id);
      default -> throw CudaFailure.invalidValue("there is no launch attribute " + id);
    }
  }
}
