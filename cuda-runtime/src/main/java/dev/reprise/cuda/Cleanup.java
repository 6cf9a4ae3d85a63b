package dev.reprise.cuda;

import org.jspecify.annotations.Nullable;

/** Steps of taking something down, none of which may be left out because another one failed. */
final class Cleanup {

  /** One step. */
  interface Step {
    /** Does it, or throws. */
    void run();
  }

  private Cleanup() {}

  /** Takes every step; throws the first failure, with the later ones as suppressed exceptions. */
  static void all(Step... steps) {
    RuntimeException failure = null;
    for (Step step : steps) {
      failure = attempt(failure, step);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Takes a step after a failure, which stays the first. */
  static void after(Throwable failure, Step step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** Takes a step; gives the first failure so far, or null. */
  static @Nullable RuntimeException attempt(@Nullable RuntimeException failure, Step step) {
    try {
      step.run();
      return failure;
    } catch (RuntimeException e) {
      if (failure == null) {
        return e;
      }
      failure.addSuppressed(e);
      return failure;
    }
  }
}
