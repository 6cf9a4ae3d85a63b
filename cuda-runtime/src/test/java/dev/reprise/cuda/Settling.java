package dev.reprise.cuda;

import dev.reprise.cuda.ownership.Retirement;

/** Lets what was closed before be released before the driver calls of an operation are counted. */
public final class Settling {

  private static final int ROUNDS = 50;

  private Settling() {}

  /**
   * Releases what can be released now; what work in flight uses stays. The thread that releases
   * things may be at it, and would otherwise leave the rest to the calling thread, in the middle of
   * the operation.
   */
  public static void settle(Device device) {
    Retirement retirement = device.context().retirement();
    for (int i = 0; i < ROUNDS; i++) {
      retirement.drain();
      // Waits for a round of the other thread.
      if (retirement.isEmpty()) {
        return;
      }
    }
  }
}
