package dev.reprise.cuda;

/**
 * How many blocks of a kernel fit on a multiprocessor at once, as the driver reckons it from
 * registers, shared memory and threads (CUDA Driver API, "Occupancy").
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be asked during a capture.
 */
public final class KernelOccupancy {

  private final Kernel kernel;

  KernelOccupancy(Kernel kernel) {
    this.kernel = kernel;
  }

  /**
   * Blocks that are resident on one multiprocessor at once ({@code
   * cuOccupancyMaxActiveBlocksPerMultiprocessor}); 0 if not one fits.
   *
   * @param blockThreads threads a block, at least 1
   * @param dynamicSharedBytes dynamic shared memory a block
   */
  public int activeBlocks(int blockThreads, int dynamicSharedBytes) {
    return OccupancyCalls.activeBlocks(kernel, blockThreads, dynamicSharedBytes);
  }

  /**
   * The size of block that keeps the most threads resident ({@code
   * cuOccupancyMaxPotentialBlockSize}).
   *
   * @param dynamicSharedBytes dynamic shared memory a block
   * @param blockLimit the most threads a block may have; 0 for no limit but the kernel's
   */
  public PotentialBlock potentialBlock(int dynamicSharedBytes, int blockLimit) {
    return OccupancyCalls.potentialBlock(kernel, dynamicSharedBytes, blockLimit);
  }

  /**
   * The dynamic shared memory that each block can have, in bytes ({@code
   * cuOccupancyAvailableDynamicSMemPerBlock}).
   *
   * @param blocks how many blocks are to be resident on one multiprocessor
   * @param blockThreads threads a block
   * @throws CudaException with {@code CUDA_ERROR_INVALID_VALUE} if they do not fit at all
   */
  public long availableDynamicSharedBytes(int blocks, int blockThreads) {
    return OccupancyCalls.availableDynamicSharedBytes(kernel, blocks, blockThreads);
  }

  /**
   * How many clusters of blocks are resident on the whole device at once ({@code
   * cuOccupancyMaxActiveClusters}).
   *
   * @param config the blocks, and a grid that is made of whole clusters
   * @param attributes the cluster, see {@link LaunchAttributes#withCluster}
   * @throws IllegalArgumentException if the attributes say nothing of clusters
   * @throws CudaException with {@code CUDA_ERROR_INVALID_CLUSTER_SIZE} if the kernel or the grid do
   *     not allow that cluster
   */
  public int activeClusters(LaunchConfig config, LaunchAttributes attributes) {
    if (attributes.clusterX() == 0) {
      throw new IllegalArgumentException(
          "%s ask for no cluster, so that there is none to count.".formatted(attributes));
    }
    return OccupancyCalls.activeClusters(kernel, config, attributes);
  }

  /**
   * The most blocks that a cluster of the kernel can have ({@code
   * cuOccupancyMaxPotentialClusterSize}).
   *
   * @param config the blocks and the grid
   */
  public int potentialClusterBlocks(LaunchConfig config) {
    return OccupancyCalls.potentialClusterBlocks(kernel, config);
  }

  /**
   * A size of block.
   *
   * @param blockThreads threads a block
   * @param gridBlocks the least blocks that fill the device; also the most of a cooperative launch
   */
  public record PotentialBlock(int blockThreads, int gridBlocks) {}
}
