package dev.reprise.cuda.diagnostics;

/**
 * Whether the runtime looks for two uses of the same memory that nothing orders, and what it does
 * when it finds them. It works from the access that operations declare, on any driver, and finds a
 * missing order also where the run happened to take the right one.
 *
 * <p>Switched off it costs nothing; switched on, each operation walks its stack and its memory's
 * recent uses, and allocates.
 *
 * @param enabled whether it looks
 * @param refusing whether the second of two such uses is refused with an {@link
 *     UnorderedAccessException}, before the driver sees it; it is reported either way
 * @param threadsApart whether what one thread has waited for counts for that thread only. Otherwise
 *     it counts for all threads from then on, since the runtime does not see how threads order each
 *     other; a hand-over that is missing between threads is then found only if they come in the
 *     wrong order. With it, each thread that relies on finished work asks for it itself, by {@code
 *     Event.isComplete} or a wait
 */
public record AccessCheck(boolean enabled, boolean refusing, boolean threadsApart) {

  /** The property and, with {@link #ENVIRONMENT}, the variable that {@link #configured} reads. */
  public static final String PROPERTY = "reprise.check";

  /** The variable that {@link #configured} reads where the property is not set. */
  public static final String ENVIRONMENT = "REPRISE_CHECK";

  /** Does not look. */
  public static final AccessCheck OFF = new AccessCheck(false, false, false);

  /** Reports to the {@link DiagnosticsListener} and lets the operation go on. */
  public static final AccessCheck REPORT = new AccessCheck(true, false, false);

  /** Reports and refuses the operation. */
  public static final AccessCheck REFUSE = new AccessCheck(true, true, false);

  /** The same, with what a thread has waited for counting for that thread only. */
  public AccessCheck withThreadsApart() {
    return new AccessCheck(enabled, refusing, true);
  }

  /**
   * What the property {@value #PROPERTY}, else the variable {@value #ENVIRONMENT}, asks for: {@code
   * off}, {@code access}, or {@code access-refuse}; off where neither is set.
   *
   * @throws IllegalArgumentException for any other word
   */
  public static AccessCheck configured() {
    String property = System.getProperty(PROPERTY);
    if (property != null) {
      return parse(PROPERTY, property);
    }
    String variable = System.getenv(ENVIRONMENT);
    return variable == null ? OFF : parse(ENVIRONMENT, variable);
  }

  private static AccessCheck parse(String name, String word) {
    return switch (word.strip()) {
      case "", "off" -> OFF;
      case "access" -> REPORT;
      case "access-refuse" -> REFUSE;
      default ->
          throw new IllegalArgumentException(
              "%s must be off, access or access-refuse, not '%s'.".formatted(name, word));
    };
  }
}
