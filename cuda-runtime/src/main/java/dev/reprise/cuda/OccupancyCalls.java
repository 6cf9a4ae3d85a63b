package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.KernelOccupancy.PotentialBlock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Checked calls of CUDA Driver API, "Occupancy". */
final class OccupancyCalls {

  private OccupancyCalls() {}

  static int activeBlocks(Kernel kernel, int blockThreads, int dynamicSharedBytes) {
    Context context = open(kernel);
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code =
        cuda_h.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            scratch.first, kernel.function(), blockThreads, dynamicSharedBytes);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuOccupancyMaxActiveBlocksPerMultiprocessor",
          "kernel",
          kernel.name(),
          "blockThreads",
          blockThreads,
          "dynamicSharedBytes",
          dynamicSharedBytes);
    }
    return scratch.firstInt();
  }

  static PotentialBlock potentialBlock(Kernel kernel, int dynamicSharedBytes, int blockLimit) {
    Context context = open(kernel);
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code =
        cuda_h.cuOccupancyMaxPotentialBlockSize(
            scratch.first,
            scratch.second,
            kernel.function(),
            MemorySegment.NULL,
            dynamicSharedBytes,
            blockLimit);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuOccupancyMaxPotentialBlockSize",
          "kernel",
          kernel.name(),
          "dynamicSharedBytes",
          dynamicSharedBytes,
          "blockLimit",
          blockLimit);
    }
    return new PotentialBlock(scratch.secondInt(), scratch.firstInt());
  }

  static long availableDynamicSharedBytes(Kernel kernel, int blocks, int blockThreads) {
    Context context = open(kernel);
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code =
        cuda_h.cuOccupancyAvailableDynamicSMemPerBlock(
            scratch.first, kernel.function(), blocks, blockThreads);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuOccupancyAvailableDynamicSMemPerBlock",
          "kernel",
          kernel.name(),
          "blocks",
          blocks,
          "blockThreads",
          blockThreads);
    }
    return scratch.firstLong();
  }

  static int activeClusters(Kernel kernel, LaunchConfig config, LaunchAttributes attributes) {
    Context context = open(kernel);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment asked = LaunchCalls.config(arena, config, attributes);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuOccupancyMaxActiveClusters(scratch.first, kernel.function(), asked);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code,
            "cuOccupancyMaxActiveClusters",
            "kernel",
            kernel.name(),
            "config",
            config,
            "attributes",
            attributes);
      }
      return scratch.firstInt();
    }
  }

  static int potentialClusterBlocks(Kernel kernel, LaunchConfig config) {
    Context context = open(kernel);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment asked = LaunchCalls.config(arena, config, LaunchAttributes.NONE);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int code = cuda_h.cuOccupancyMaxPotentialClusterSize(scratch.first, kernel.function(), asked);
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuOccupancyMaxPotentialClusterSize", "kernel", kernel.name(), "config", config);
      }
      return scratch.firstInt();
    }
  }

  private static Context open(Kernel kernel) {
    kernel.module().handle().checkOpen();
    return kernel.module().device().context();
  }
}
