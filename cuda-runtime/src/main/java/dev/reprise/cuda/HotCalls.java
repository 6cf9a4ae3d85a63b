package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;

/**
 * The driver calls of a step: what a prepared launch, a replay and the upload of its inputs make.
 * Apart from the rest so that a test can put native code that does nothing in the driver's place
 * and measure what Java itself costs.
 */
interface HotCalls {

  /** The calls of the loaded driver. */
  HotCalls DRIVER = new OfDriver();

  int setCurrent(MemorySegment context);

  int launch(
      MemorySegment function, LaunchConfig config, MemorySegment stream, MemorySegment parameters);

  /** A launch with attributes; {@code config} is that of {@link LaunchCalls}. */
  int launchExtended(
      MemorySegment function, MemorySegment config, MemorySegment stream, MemorySegment parameters);

  int launchGraph(MemorySegment exec, MemorySegment stream);

  /** A copy of page-locked memory, given by its addresses. */
  int copyToDevice(long target, long source, long bytes, MemorySegment stream);

  /** Calls the generated bindings. */
  final class OfDriver implements HotCalls {
    @Override
    public int setCurrent(MemorySegment context) {
      return cuda_h.cuCtxSetCurrent(context);
    }

    @Override
    public int launch(
        MemorySegment function,
        LaunchConfig config,
        MemorySegment stream,
        MemorySegment parameters) {
      return cuda_h.cuLaunchKernel(
          function,
          config.gridX(),
          config.gridY(),
          config.gridZ(),
          config.blockX(),
          config.blockY(),
          config.blockZ(),
          config.dynamicSharedBytes(),
          stream,
          parameters,
          MemorySegment.NULL);
    }

    @Override
    public int launchExtended(
        MemorySegment function,
        MemorySegment config,
        MemorySegment stream,
        MemorySegment parameters) {
      LaunchCalls.setStream(config, stream);
      return cuda_h.cuLaunchKernelEx(config, function, parameters, MemorySegment.NULL);
    }

    @Override
    public int launchGraph(MemorySegment exec, MemorySegment stream) {
      return cuda_h.cuGraphLaunch(exec, stream);
    }

    @Override
    public int copyToDevice(long target, long source, long bytes, MemorySegment stream) {
      return cuda_h.cuMemcpyHtoDAsync_v2(target, MemorySegment.ofAddress(source), bytes, stream);
    }
  }
}
