package dev.reprise.softgpu.driver.queue;

import org.jspecify.annotations.Nullable;

/** Who decides between orders on a thread. */
public final class CurrentChoices {

  private static final ThreadLocal<@Nullable Choices> CURRENT = new ThreadLocal<>();
  private static volatile boolean used;

  private CurrentChoices() {}

  static @Nullable Choices get() {
    return used ? CURRENT.get() : null;
  }

  /** Has the calling thread ask this one from now on; null for nobody. */
  public static void set(@Nullable Choices choices) {
    used = true;
    if (choices == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(choices);
    }
  }
}
