package dev.reprise.softgpu.sanitizer;

import java.util.List;
import java.util.function.Consumer;

/**
 * What the sanitizer of one driver has found. Thread-safe.
 *
 * <p>Reached by {@link dev.reprise.softgpu.SoftwareDriver#sanitizer}.
 */
public interface Sanitizer {

  /** What is looked for. */
  SanitizerOptions options();

  /** The reports so far, up to the limit, in the order in which they were found. */
  List<Report> reports();

  /** How many reports there were, those beyond the limit included. */
  long count();

  /** How many reports there were of one kind. */
  long count(ReportKind kind);

  /**
   * Calls a listener with each later report within the limit, on the thread that finds it; it must
   * not call the driver.
   *
   * @return what ends this
   */
  AutoCloseable listen(Consumer<Report> listener);

  /** Forgets the reports and their number, so that a test can begin anew. */
  void clear();
}
