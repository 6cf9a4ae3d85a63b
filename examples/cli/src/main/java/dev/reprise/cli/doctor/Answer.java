package dev.reprise.cli.doctor;

import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a question gave: a value, or why there is none.
 *
 * @param value the value; null where it failed
 * @param failure the failure; null where there is a value
 */
record Answer<T>(@Nullable T value, @Nullable Throwable failure) {

  /**
   * Asks, and keeps the failure instead of throwing it.
   *
   * <p>Classes that do not link and services that do not start are failures too: a doctor reports
   * them.
   */
  static <T> Answer<T> of(Supplier<T> question) {
    try {
      return new Answer<>(question.get(), null);
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      return new Answer<>(null, e);
    }
  }

  /** The value, or what {@code otherwise} makes of the failure. */
  T orElse(Function<Throwable, T> otherwise) {
    if (failure != null) {
      return otherwise.apply(failure);
    }
    if (value == null) {
      throw new IllegalStateException("an answer without value and failure");
    }
    return value;
  }

  /** The failure as one line; empty where there is none. */
  Optional<String> failureText() {
    return Optional.ofNullable(failure).map(Answer::text);
  }

  /** A failure as one line; of a failed start of a class or service, its cause. */
  static String text(Throwable failure) {
    Throwable told = failure;
    while (told.getCause() != null
        && (told instanceof ExceptionInInitializerError
            || told instanceof ServiceConfigurationError)) {
      told = told.getCause();
    }
    String message = told.getMessage();
    String text =
        message == null || message.isBlank()
            ? told.getClass().getName()
            : told instanceof Error ? told.getClass().getSimpleName() + ": " + message : message;
    return text.strip().replaceAll("\\s*\\R\\s*", " | ");
  }
}
