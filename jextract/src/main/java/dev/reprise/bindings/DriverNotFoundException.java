package dev.reprise.bindings;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * No driver library could be loaded for the choice that was made. The message lists every name
 * tried and why each failed.
 */
public final class DriverNotFoundException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<DriverLibrary.Attempt> attempts;

  DriverNotFoundException(
      String message, List<DriverLibrary.Attempt> attempts, @Nullable Throwable cause) {
    super(message, cause);
    this.attempts = List.copyOf(attempts);
  }

  /** Where a driver was looked for, in order. */
  public List<DriverLibrary.Attempt> attempts() {
    return attempts;
  }
}
