package dev.reprise.cuda;

/**
 * A graph was not replayed because memory that it captured is no longer what it was: the buffer was
 * closed after the capture, so that a replay would use a dead address; capture again. Or it is
 * memory that another graph allocates and that has been freed; then both epochs are the same, and
 * the graph can be replayed again once the other has been.
 */
public final class StaleGraphException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String region;
  private final int capturedEpoch;
  private final int currentEpoch;

  StaleGraphException(String graph, String region, int capturedEpoch, int currentEpoch) {
    super(
        "Graph '%s' is stale: region '%s' was captured at epoch %d and is now at epoch %d (it was closed or moved). Capture the graph again."
            .formatted(graph, region, capturedEpoch, currentEpoch));
    this.region = region;
    this.capturedEpoch = capturedEpoch;
    this.currentEpoch = currentEpoch;
  }

  private StaleGraphException(String message, String region, int epoch) {
    super(message);
    this.region = region;
    this.capturedEpoch = epoch;
    this.currentEpoch = epoch;
  }

  /** For memory of another graph, which is not allocated now. */
  static StaleGraphException notAllocated(String graph, String region, int epoch) {
    return new StaleGraphException(
        "Graph '%s' is stale: region '%s' is memory of another graph and is not allocated now. Replay that graph first; it is allocated until it is freed."
            .formatted(graph, region),
        region,
        epoch);
  }

  /** The label of the buffer that changed. */
  public String region() {
    return region;
  }

  /** The epoch of the region when the graph was captured. */
  public int capturedEpoch() {
    return capturedEpoch;
  }

  /** The epoch of the region now. */
  public int currentEpoch() {
    return currentEpoch;
  }
}
