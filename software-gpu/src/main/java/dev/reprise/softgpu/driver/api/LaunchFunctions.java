package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUlaunchConfig;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.LaunchCluster;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/** Kernel launches. */
final class LaunchFunctions extends Functions {

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
    return launch(
        context, f, shape, KernelAttributes.NONE, stream(context, hStream), kernelParams, extra);
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
    KernelAttributes attributes = KernelAttributes.NONE.with(KernelAttributes.COOPERATIVE, 1);
    return launch(
        context, f, shape, attributes, stream(context, hStream), kernelParams, MemorySegment.NULL);
  }

  int cuLaunchKernelEx(
      MemorySegment config, MemorySegment f, MemorySegment kernelParams, MemorySegment extra) {
    Context context = context();
    MemorySegment c = CallerMemory.struct(config, CUlaunchConfig.sizeof(), "config");
    KernelAttributes attributes =
        LaunchAttributes.read(CUlaunchConfig.attrs(c), CUlaunchConfig.numAttrs(c));
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
    return launch(context, f, shape, attributes, stream, kernelParams, extra);
  }

  private int launch(
      Context context,
      MemorySegment f,
      LaunchArguments.Shape shape,
      KernelAttributes attributes,
      Stream stream,
      MemorySegment kernelParams,
      MemorySegment extra) {
    if (attributes.cooperative() && !CallerMemory.isNull(extra)) {
      throw CudaFailure.invalidValue("a cooperative launch takes its parameters by kernelParams");
    }
    KernelFunction function = function(f);
    if (function.image().owner() instanceof Context home
        && (home.device() != context.device() || stream.context().device() != context.device())) {
      throw CudaFailure.invalidHandle(
          "%s is on device %d, the stream on device %d, and the current context on device %d"
              .formatted(
                  function.code().name(),
                  home.device().ordinal(),
                  stream.context().device().ordinal(),
                  context.device().ordinal()));
    }
    KernelLaunch launch = LaunchArguments.prepare(context, function, shape, kernelParams, extra);
    KernelAttributes all = LaunchAttributes.withStream(attributes, stream.attributes());
    KernelLaunch whole = LaunchAttributes.checkCooperative(context, launch.with(all));
    LaunchCluster.checkNamed(whole);
    stream.perform(whole);
    return SUCCESS;
  }
}
