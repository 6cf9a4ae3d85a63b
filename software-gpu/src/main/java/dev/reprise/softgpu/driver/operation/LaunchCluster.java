package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Dim3;
import org.jspecify.annotations.Nullable;

/**
 * The cluster of a launch: what the kernel requires and what the launch asks for (CUDA Programming
 * Guide, "Thread Block Clusters"). All that does not go together is {@code
 * CUDA_ERROR_INVALID_CLUSTER_SIZE}.
 */
public final class LaunchCluster {
  /** The most blocks that are portable to all devices with clusters. */
  public static final int PORTABLE = 8;

  /** The most blocks that kernels may have that need not be portable. */
  public static final int MOST = 16;

  private LaunchCluster() {}

  /** The most blocks that a cluster of a kernel may have. */
  public static int most(KernelFunction function) {
    int most = function.nonPortableClusters() ? MOST : PORTABLE;
    int limit = function.code().maxClusterRank();
    return limit > 0 ? Math.min(most, limit) : most;
  }

  /**
   * The blocks of a cluster, null for a launch without clusters.
   *
   * @throws CudaFailure where the kernel, the launch and its grid do not go together
   */
  public static @Nullable Dim3 of(KernelFunction function, Dim3 grid, KernelAttributes attributes) {
    Dim3 required = function.requiredCluster();
    Dim3 asked = attributes.cluster();
    if (required != null && asked != null && !required.equals(asked)) {
      throw invalid(
          "clusters of %s blocks; %s requires %s"
              .formatted(asked, function.code().name(), required));
    }
    Dim3 cluster = asked == null ? required : asked;
    if (cluster == null) {
      return null;
    }
    if (cluster.count() > most(function)) {
      throw invalid(
          "clusters of %s blocks; %s allows %d (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)"
              .formatted(cluster, function.code().name(), most(function)));
    }
    if (grid.x() % cluster.x() != 0 || grid.y() % cluster.y() != 0 || grid.z() % cluster.z() != 0) {
      throw invalid(
          "a grid of %s blocks, which is not made of whole clusters of %s"
              .formatted(grid, cluster));
    }
    return cluster;
  }

  /** Makes sure that a launch has a cluster if its kernel wants one to be named. */
  public static void checkNamed(KernelLaunch launch) {
    if (launch.request().cluster() == null && launch.function().code().mustNameCluster()) {
      throw invalid(
          "%s must be launched in clusters (CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)"
              .formatted(launch.function().code().name()));
    }
  }

  static CudaFailure invalid(String what) {
    return new CudaFailure(Result.INVALID_CLUSTER_SIZE, what);
  }
}
