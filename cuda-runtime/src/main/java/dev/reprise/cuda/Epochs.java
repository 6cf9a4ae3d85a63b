package dev.reprise.cuda;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the changes of epoch of all regions of the process, so that a replay sees with one read
 * that none of its regions can have changed since it last looked.
 */
final class Epochs {

  private static final AtomicLong CHANGES = new AtomicLong();

  private Epochs() {}

  static long changes() {
    return CHANGES.get();
  }

  /** To be called after the epoch of a region has changed. */
  static void changed() {
    CHANGES.incrementAndGet();
  }
}
