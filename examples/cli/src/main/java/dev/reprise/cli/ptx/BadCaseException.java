package dev.reprise.cli.ptx;

/** A run that was asked for wrongly; the message says what is wrong and what would do. */
public final class BadCaseException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** With what is wrong. */
  public BadCaseException(String message) {
    super(message);
  }

  /** With what is wrong, and what found it. */
  public BadCaseException(String message, Throwable cause) {
    super(message, cause);
  }
}
