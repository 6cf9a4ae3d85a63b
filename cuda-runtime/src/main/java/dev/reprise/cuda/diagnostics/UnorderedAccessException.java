package dev.reprise.cuda.diagnostics;

/**
 * An operation was refused because nothing orders it behind an earlier use of the same memory; see
 * {@link AccessCheck#refusing}. The driver has not seen it.
 */
public final class UnorderedAccessException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final transient UnorderedAccess report;

  /** An exception for a report; its cause is where the first use was issued. */
  public UnorderedAccessException(UnorderedAccess report) {
    super(report.describe(), report.first().site());
    this.report = report;
  }

  /** What was found. */
  public UnorderedAccess report() {
    return report;
  }
}
