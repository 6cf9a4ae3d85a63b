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
 * @param cluster blocks of a cluster; null for those that the kernel requires, or one
 */
public record LaunchRequest(
    KernelCode kernel,
    Dim3 grid,
    Dim3 block,
    int dynamicSharedBytes,
    byte[] parameters,
    boolean cooperative,
    @Nullable KernelResources resources,
    @Nullable Dim3 cluster) {

  /** A launch without clusters. */
  public LaunchRequest(
      KernelCode kernel,
      Dim3 grid,
      Dim3 block,
      int dynamicSharedBytes,
      byte[] parameters,
      boolean cooperative,
      @Nullable KernelResources resources) {
    this(kernel, grid, block, dynamicSharedBytes, parameters, cooperative, resources, null);
  }

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
    Dim3 required = kernel.requiredCluster();
    if (required != null) {
      cluster = cluster == null ? required : cluster;
      if (!cluster.equals(required)) {
        throw new IllegalArgumentException(
            kernel.name() + " requires clusters of " + required + " blocks, not " + cluster);
      }
    }
    if (cluster != null && !divides(cluster, grid)) {
      throw new IllegalArgumentException(
          "a grid of " + grid + " blocks has no whole clusters of " + cluster);
    }
  }

  private static boolean divides(Dim3 part, Dim3 whole) {
    return whole.x() % part.x() == 0 && whole.y() % part.y() == 0 && whole.z() % part.z() == 0;
  }

  /** The same launch, cooperative or not. */
  public LaunchRequest withCooperative(boolean blocksWait) {
    return new LaunchRequest(
        kernel, grid, block, dynamicSharedBytes, parameters, blocksWait, resources, cluster);
  }

  /** The same launch in clusters of so many blocks. */
  public LaunchRequest withCluster(@Nullable Dim3 blocks) {
    return new LaunchRequest(
        kernel, grid, block, dynamicSharedBytes, parameters, cooperative, resources, blocks);
  }
}
