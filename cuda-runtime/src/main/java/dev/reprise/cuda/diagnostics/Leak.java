package dev.reprise.cuda.diagnostics;

import org.jspecify.annotations.Nullable;

/**
 * An object that was not closed: collected by the garbage collector, whereupon its driver object is
 * released by a library thread once the GPU is done with it; or open when the process ends.
 *
 * @param kind what it is
 * @param label its label
 * @param bytes how much memory it stands for; 0 for what is not memory
 * @param creationSite where it was created, when {@link Diagnostics#creationSites} is on
 */
public record Leak(ResourceKind kind, String label, long bytes, @Nullable Throwable creationSite) {

  /** One line for a log, about an object that was collected. */
  public String describe() {
    return name() + " was never closed; it was collected and is released late.";
  }

  /** One line for a log, about an object that is open when the process ends. */
  public String describeAtExit() {
    return name() + " is still open at the end of the process.";
  }

  private String name() {
    String size = bytes == 0 ? "" : " (%d bytes)".formatted(bytes);
    return "%s '%s'%s".formatted(kind.typeName(), label, size);
  }
}
