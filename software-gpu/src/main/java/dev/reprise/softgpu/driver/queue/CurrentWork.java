package dev.reprise.softgpu.driver.queue;

import org.jspecify.annotations.Nullable;

/** Who observes the work that a thread is doing. */
public final class CurrentWork {

  private static final ThreadLocal<@Nullable WorkObserver> CURRENT = new ThreadLocal<>();
  private static volatile boolean used;

  private CurrentWork() {}

  /** The observer of this thread; null, nearly always, where nobody observes. */
  public static @Nullable WorkObserver observer() {
    return used ? CURRENT.get() : null;
  }

  /** Does something under an observer. */
  public static void observed(WorkObserver observer, Runnable body) {
    used = true;
    CURRENT.set(observer);
    try {
      body.run();
    } finally {
      CURRENT.remove();
    }
  }
}
