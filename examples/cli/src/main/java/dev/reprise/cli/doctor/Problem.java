package dev.reprise.cli.doctor;

/**
 * Something wrong, and how to mend it; both are one line.
 *
 * @param severity how much of a problem it is
 * @param what what is wrong
 * @param fix what to do
 */
record Problem(Severity severity, String what, String fix) {

  /** The gravest first. */
  enum Severity {
    /** What was asked for cannot run. */
    ERROR,
    /** It runs, but not as it should, or not for long. */
    WARNING,
    /** Worth knowing. */
    NOTE
  }

  static Problem error(String what, String fix) {
    return new Problem(Severity.ERROR, what, fix);
  }

  static Problem warning(String what, String fix) {
    return new Problem(Severity.WARNING, what, fix);
  }

  Problem as(Severity other) {
    return new Problem(other, what, fix);
  }
}
