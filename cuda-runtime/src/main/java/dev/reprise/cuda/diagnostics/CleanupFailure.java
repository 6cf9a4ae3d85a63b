package dev.reprise.cuda.diagnostics;

/**
 * The driver refused to release an object. It cannot be thrown by the call that closed the object,
 * since the release may happen long after it.
 *
 * @param kind what was being released
 * @param label its label
 * @param failure what the driver said
 */
public record CleanupFailure(ResourceKind kind, String label, Throwable failure) {

  /** One line for a log. */
  public String describe() {
    return "%s '%s' could not be released: %s"
        .formatted(kind.typeName(), label, failure.getMessage());
  }
}
