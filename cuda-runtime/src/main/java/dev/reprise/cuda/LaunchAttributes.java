package dev.reprise.cuda;

import java.util.OptionalInt;

/**
 * What a launch asks for beyond its {@link LaunchConfig} (CUDA Driver API, "Execution Control",
 * {@code cuLaunchKernelEx}). Immutable.
 *
 * @param cooperative whether all blocks are resident at once, so that they may wait for each other;
 *     a grid that is too large for that is refused when it is launched
 * @param clusterX blocks of a cluster in x; 0 for no clusters
 * @param clusterY blocks of a cluster in y; 0 for no clusters
 * @param clusterZ blocks of a cluster in z; 0 for no clusters
 * @param priority the priority of the launch, as for streams; empty takes the stream's
 * @param programmaticSerialization whether the kernel may start before the one ahead of it in the
 *     stream has ended, and waits for it itself
 */
public record LaunchAttributes(
    boolean cooperative,
    int clusterX,
    int clusterY,
    int clusterZ,
    OptionalInt priority,
    boolean programmaticSerialization) {

  /** Nothing beyond the configuration. */
  public static final LaunchAttributes NONE =
      new LaunchAttributes(false, 0, 0, 0, OptionalInt.empty(), false);

  /** All blocks resident at once. */
  public static final LaunchAttributes COOPERATIVE =
      new LaunchAttributes(true, 0, 0, 0, OptionalInt.empty(), false);

  /** Checks the cluster. */
  public LaunchAttributes {
    boolean none = clusterX == 0 && clusterY == 0 && clusterZ == 0;
    if (!none && (clusterX < 1 || clusterY < 1 || clusterZ < 1)) {
      throw new IllegalArgumentException(
          "A cluster of %d×%d×%d blocks cannot be.".formatted(clusterX, clusterY, clusterZ));
    }
  }

  /** These, in clusters of blocks. */
  public LaunchAttributes withCluster(int x, int y, int z) {
    return new LaunchAttributes(cooperative, x, y, z, priority, programmaticSerialization);
  }

  /** These, with a priority. */
  public LaunchAttributes withPriority(int value) {
    return new LaunchAttributes(
        cooperative,
        clusterX,
        clusterY,
        clusterZ,
        OptionalInt.of(value),
        programmaticSerialization);
  }

  /** These, and the kernel may start early. */
  public LaunchAttributes withProgrammaticSerialization() {
    return new LaunchAttributes(cooperative, clusterX, clusterY, clusterZ, priority, true);
  }
}
