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
    if (cluster != null) {
      check(function, grid, cluster);
    }
    Dim3 preferred = attributes.preferredCluster();
    if (preferred != null) {
      checkPreferred(preferred, cluster);
      check(function, grid, preferred);
    }
    return cluster;
  }

  private static void check(KernelFunction function, Dim3 grid, Dim3 cluster) {
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
  }

  /** A device may always make the plain clusters instead, and this one does. */
  private static void checkPreferred(Dim3 preferred, @Nullable Dim3 cluster) {
    if (cluster == null) {
      throw invalid("preferred clusters of %s blocks without clusters".formatted(preferred));
    }
    if (preferred.x() % cluster.x() != 0
        || preferred.y() % cluster.y() != 0
        || preferred.z() != cluster.z()) {
      throw invalid(
          "preferred clusters of %s blocks, which are not made of clusters of %s side by side"
              .formatted(preferred, cluster));
    }
  }

  /**
   * The grid of a launch in blocks, where a kernel may count it in clusters ({@code
   * .blocksareclusters}).
   *
   * @return extents that may be too large
   */
  public static long[] blocks(KernelFunction function, int x, int y, int z) {
    Dim3 cluster = counted(function);
    return cluster == null
        ? new long[] {x, y, z}
        : new long[] {(long) x * cluster.x(), (long) y * cluster.y(), (long) z * cluster.z()};
  }

  /** A grid of blocks as launches of the function name it. */
  public static Dim3 named(KernelFunction function, Dim3 grid) {
    Dim3 cluster = counted(function);
    return cluster == null
        ? grid
        : new Dim3(grid.x() / cluster.x(), grid.y() / cluster.y(), grid.z() / cluster.z());
  }

  private static @Nullable Dim3 counted(KernelFunction function) {
    return function.code().countsClusters() ? function.code().requiredCluster() : null;
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
