package dev.reprise.bindings;

/**
 * No driver library could be loaded for the choice that was made. The message lists every name
 * tried and why each failed.
 */
public final class DriverNotFoundException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DriverNotFoundException(String message) {
    super(message);
  }
}
