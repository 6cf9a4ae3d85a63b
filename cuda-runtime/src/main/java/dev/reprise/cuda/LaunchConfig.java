package dev.reprise.cuda;

/**
 * The shape of a launch: the grid in blocks, the block in threads, and the dynamic shared memory of
 * each block in bytes (CUDA Driver API, "Execution Control", {@code cuLaunchKernel}).
 *
 * <p>The limits of a device and of a kernel are checked by {@link Kernel#prepare}.
 *
 * @param gridX blocks along x, at least 1
 * @param gridY blocks along y, at least 1
 * @param gridZ blocks along z, at least 1
 * @param blockX threads along x, at least 1
 * @param blockY threads along y, at least 1
 * @param blockZ threads along z, at least 1
 * @param dynamicSharedBytes bytes of {@code extern __shared__} memory a block, at least 0
 */
public record LaunchConfig(
    int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int dynamicSharedBytes) {

  /** Checks that every extent is at least 1. */
  public LaunchConfig {
    if (gridX < 1 || gridY < 1 || gridZ < 1 || blockX < 1 || blockY < 1 || blockZ < 1) {
      throw new IllegalArgumentException(
          "A launch needs at least one block and one thread along each axis: grid %d×%d×%d, block %d×%d×%d."
              .formatted(gridX, gridY, gridZ, blockX, blockY, blockZ));
    }
    if (dynamicSharedBytes < 0) {
      throw new IllegalArgumentException(
          "Dynamic shared memory cannot be " + dynamicSharedBytes + " bytes.");
    }
  }

  /** A grid and a block along x. */
  public static LaunchConfig of(int gridX, int blockX) {
    return new LaunchConfig(gridX, 1, 1, blockX, 1, 1, 0);
  }

  /** A grid and a block along x, with dynamic shared memory. */
  public static LaunchConfig of(int gridX, int blockX, int dynamicSharedBytes) {
    return new LaunchConfig(gridX, 1, 1, blockX, 1, 1, dynamicSharedBytes);
  }

  /** As many blocks of {@code blockX} threads as give each of {@code elements} a thread. */
  public static LaunchConfig covering(long elements, int blockX) {
    if (elements < 1 || blockX < 1) {
      throw new IllegalArgumentException(
          "Cannot cover %d elements by blocks of %d threads.".formatted(elements, blockX));
    }
    return of(Math.toIntExact((elements + blockX - 1) / blockX), blockX);
  }

  /** The same launch with another grid. */
  public LaunchConfig withGrid(int x, int y, int z) {
    return new LaunchConfig(x, y, z, blockX, blockY, blockZ, dynamicSharedBytes);
  }

  /** The same launch with another block. */
  public LaunchConfig withBlock(int x, int y, int z) {
    return new LaunchConfig(gridX, gridY, gridZ, x, y, z, dynamicSharedBytes);
  }

  /** The same launch with another amount of dynamic shared memory. */
  public LaunchConfig withDynamicSharedBytes(int bytes) {
    return new LaunchConfig(gridX, gridY, gridZ, blockX, blockY, blockZ, bytes);
  }

  /** Threads of one block. */
  public long threadsPerBlock() {
    return (long) blockX * blockY * blockZ;
  }
}
