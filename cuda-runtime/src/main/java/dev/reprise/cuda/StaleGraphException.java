package dev.reprise.cuda;

/**
 * A graph was not replayed because memory that it captured is no longer what it was: the buffer was
 * closed after the capture, so that a replay would use a dead address. Capture again.
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
