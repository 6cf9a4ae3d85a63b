package dev.reprise.cuda;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what another thread is bound to do. */
public final class Eventually {

  private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();

  private Eventually() {}

  public static void isTrue(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError("Still not so after 20 seconds: " + what);
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted while waiting for: " + what, e);
      }
    }
  }
}
