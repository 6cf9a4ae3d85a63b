package dev.reprise.softgpu.engine.exec;

/**
 * Finds out whether a JVM is fast with the Vector API at all, which it is not without the compiler
 * that knows it. A few runs try it, so that the others lose no time; once one of them has won, all
 * may.
 */
final class Scout {
  /** Runs that try at once: one may consist of what is slow anywhere. */
  private static final int FIRST = 3;

  /**
   * How often others are refused, with no try meanwhile, before one more may: the kernels of those
   * that try may not run again.
   */
  private static final int PATIENCE = 1_000_000;

  private volatile boolean won;
  private int allowed = FIRST;
  private int trying;
  private int lost;

  /** Threads count without care for each other. */
  private int refused;

  /** Whether one more run may try; one that may not can ask again. */
  boolean letsTry() {
    if (won) {
      return true;
    }
    return (trying < allowed || ++refused > PATIENCE) && take();
  }

  private synchronized boolean take() {
    if (trying == allowed && refused > PATIENCE && lost < allowed) {
      allowed++;
      refused = 0;
    }
    if (trying == allowed) {
      return false;
    }
    trying++;
    return true;
  }

  /** A run that was let try has done so once more. */
  void tried() {
    refused = 0;
  }

  /** Is told of each run that was let try, and of its result. */
  synchronized void ended(boolean hasWon) {
    won |= hasWon;
    lost += hasWon ? 0 : 1;
  }

  /** Whether it is fast. */
  boolean won() {
    return won;
  }
}
