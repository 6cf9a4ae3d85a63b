package dev.reprise.softgpu.driver.queue;

import org.jspecify.annotations.Nullable;

/**
 * What decides, on a thread that runs work for a simulation, between orders that are all legal.
 * Elsewhere nobody decides, and the plain order is taken.
 */
public interface Choices {

  /** Chooses one of several, by its number from 0. */
  int oneOf(int count);

  /** The seed for the order of blocks and warps of a kernel; 0 for the plain order. */
  long launchSeed();

  /** Who decides on this thread; null, nearly always, for nobody. */
  static @Nullable Choices current() {
    return CurrentChoices.get();
  }

  /** {@link #launchSeed} of who decides on this thread; 0 for nobody. */
  static long currentLaunchSeed() {
    Choices choices = current();
    return choices == null ? 0 : choices.launchSeed();
  }
}
