package dev.reprise.cuda;

/**
 * When an edge of a graph lets the later node go ({@code CUgraphEdgeData}). Those other than {@link
 * #FULL} need a driver of CUDA 12.3.
 */
public enum EdgeKind {
  /** When the earlier node is done. */
  FULL(0, 0),
  /**
   * When all blocks of the earlier kernel have called {@code
   * cudaTriggerProgrammaticLaunchCompletion} or are done; the later kernel waits for the rest by
   * {@code cudaGridDependencySynchronize}. Between kernels only.
   */
  PROGRAMMATIC(1, 1),
  /** As {@link #PROGRAMMATIC}, when all blocks of the earlier kernel have begun. */
  PROGRAMMATIC_LAUNCH_ORDER(2, 1),
  /** When all blocks of the earlier kernel have begun. */
  LAUNCH_ORDER(2, 0);

  private final int fromPort;
  private final int type;

  EdgeKind(int fromPort, int type) {
    this.fromPort = fromPort;
    this.type = type;
  }

  int fromPort() {
    return fromPort;
  }

  int type() {
    return type;
  }

  static EdgeKind of(int fromPort, int type) {
    for (EdgeKind kind : values()) {
      if (kind.fromPort == fromPort && kind.type == type) {
        return kind;
      }
    }
    throw new IllegalStateException(
        "The driver tells of an edge of type %d from port %d, which this library does not know."
            .formatted(type, fromPort));
  }
}
