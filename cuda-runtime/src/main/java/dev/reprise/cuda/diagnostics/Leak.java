package dev.reprise.cuda.diagnostics;

import org.jspecify.annotations.Nullable;

/**
 * An object was collected by the garbage collector without having been closed. Its driver object is
 * released by a library thread, once the GPU is done with it.
 *
 * @param kind what it was
 * @param label its label
 * @param creationSite where it was created, when {@link Diagnostics#creationSites} is on
 */
public record Leak(ResourceKind kind, String label, @Nullable Throwable creationSite) {

  /** One line for a log. */
  public String describe() {
    return "%s '%s' was never closed; it was collected and is released late."
        .formatted(kind.typeName(), label);
  }
}
