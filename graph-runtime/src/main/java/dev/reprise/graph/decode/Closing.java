package dev.reprise.graph.decode;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several things, whatever becomes of each. */
final class Closing {

  private Closing() {}

  /**
   * Closes in reverse order; later failures are suppressed by the first.
   *
   * @param first a failure before
   * @return the first failure, or null
   */
  static @Nullable RuntimeException all(
      List<? extends AutoCloseable> resources, @Nullable RuntimeException first) {
    RuntimeException failure = first;
    for (AutoCloseable resource : resources.reversed()) {
      try {
        resource.close();
      } catch (Exception e) {
        RuntimeException closing =
            e instanceof RuntimeException r ? r : new IllegalStateException(e);
        if (failure == null) {
          failure = closing;
        } else {
          failure.addSuppressed(closing);
        }
      }
    }
    return failure;
  }
}
