package dev.reprise.softgpu.engine.exec;

/** The groups of bulk copies that the lanes of a warp have begun and that have not all arrived. */
final class BulkGroups {
  private final CopyGroups<BulkCopy> groups = new CopyGroups<>();

  void start(int k, BulkCopy copy) {
    groups.start(k, copy);
  }

  void commit(int k) {
    groups.commit(k);
  }

  /** Lets all groups but the {@code latest} most recent ones arrive. */
  void await(int k, int latest) {
    groups.take(k, latest).forEach(BulkCopy::arrive);
  }

  /** Lets all groups but the {@code latest} most recent ones read their sources. */
  void awaitRead(int k, int latest) {
    groups.due(k, latest).forEach(BulkCopy::readSource);
  }

  /**
   * The block has ended, and its shared memory with it: what has been read arrives, what has not is
   * lost.
   */
  void end() {
    for (int k = 0; k < Warp.LANES; k++) {
      groups.due(k, 0).stream().filter(BulkCopy::read).forEach(BulkCopy::arrive);
    }
  }
}
