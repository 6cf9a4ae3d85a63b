package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.Table;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a section found.
 *
 * @param key its name in JSON
 * @param title its name for people
 * @param timed whether it holds times
 * @param status how it ended
 * @param seconds how long it took
 * @param error why it did not end; null when it did
 * @param headlines its results in short
 * @param facts single values
 * @param checks what passed and what did not
 * @param tables the rest
 */
record SectionReport(
    String key,
    String title,
    boolean timed,
    Status status,
    double seconds,
    @Nullable String error,
    List<String> headlines,
    List<Fact> facts,
    List<Check> checks,
    List<Table> tables) {

  /** How a section ended. */
  enum Status {
    /** All checks passed. */
    PASSED,
    /** A check failed. */
    FAILED,
    /** It broke off. */
    ERROR,
    /** It was not begun. */
    SKIPPED;

    /** Its name in JSON and for people. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A single value.
   *
   * @param key its name in JSON, with its unit
   * @param title its name for people, with its unit
   * @param value a text, whole number, {@code Double} or {@code Boolean}
   */
  record Fact(String key, String title, Object value) {}

  /**
   * Something that must hold.
   *
   * @param name what
   * @param passed whether it does
   * @param detail what was found
   */
  record Check(String name, boolean passed, String detail) {}

  /** How many checks failed. */
  long failures() {
    return checks.stream().filter(check -> !check.passed()).count();
  }
}
