package dev.reprise.softgpu.engine;

import org.jspecify.annotations.Nullable;

/**
 * One kernel launch.
 *
 * @param dynamicSharedBytes shared memory of each block beyond the kernel's static variables
 * @param parameters the parameter block, {@link KernelCode#parameterBytes()} long, each parameter
 *     at its {@link KernelCode#parameterOffset}; read when the launch starts
 * @param cooperative whether the blocks can wait for each other as cooperative groups do
 * @param resources of its context; null for those of the engine
 */
public record LaunchRequest(
    KernelCode kernel,
    Dim3 grid,
    Dim3 block,
    int dynamicSharedBytes,
    byte[] parameters,
    boolean cooperative,
    @Nullable KernelResources resources) {

  /** A launch that is not cooperative. */
  public LaunchRequest(
      KernelCode kernel, Dim3 grid, Dim3 block, int dynamicSharedBytes, byte[] parameters) {
    this(kernel, grid, block, dynamicSharedBytes, parameters, false, null);
  }

  /** Checks that the block, the shared memory and the parameters are possible. */
  public LaunchRequest {
    if (block.count() > 1024) {
      throw new IllegalArgumentException("a block has at most 1024 threads, not " + block);
    }
    if (dynamicSharedBytes < 0) {
      throw new IllegalArgumentException(
          "dynamic shared memory cannot be negative: " + dynamicSharedBytes);
    }
    if (parameters.length < kernel.parameterBytes()) {
      throw new IllegalArgumentException(
          kernel.name()
              + " takes "
              + kernel.parameterBytes()
              + " bytes of parameters, not "
              + parameters.length);
    }
  }

  /** The same launch, cooperative or not. */
  public LaunchRequest withCooperative(boolean blocksWait) {
    return new LaunchRequest(
        kernel, grid, block, dynamicSharedBytes, parameters, blocksWait, resources);
  }
}
