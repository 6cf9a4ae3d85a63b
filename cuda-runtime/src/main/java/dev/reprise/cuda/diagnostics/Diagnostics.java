package dev.reprise.cuda.diagnostics;

/**
 * How much the runtime keeps about each object, what it checks, and where its reports go.
 *
 * @param creationSites whether each object remembers where it was created and closed; a use after
 *     close and a leak then show it, and what is open when the process ends is told to the
 *     listener. Costs a stack walk for each object
 * @param accessCheck whether unordered uses of memory are looked for
 * @param listener receives leaks, failures of cleanup and unordered uses
 */
public record Diagnostics(
    boolean creationSites, AccessCheck accessCheck, DiagnosticsListener listener) {

  /** What is kept and reported, with no check of accesses. */
  public Diagnostics(boolean creationSites, DiagnosticsListener listener) {
    this(creationSites, AccessCheck.OFF, listener);
  }

  /**
   * No creation sites; the check that is {@link AccessCheck#configured}; reports are logged as
   * warnings.
   */
  public static Diagnostics standard() {
    return new Diagnostics(false, AccessCheck.configured(), LoggingListener.INSTANCE);
  }

  /** The same with creation sites on. */
  public Diagnostics withCreationSites() {
    return new Diagnostics(true, accessCheck, listener);
  }

  /** The same with another check of accesses. */
  public Diagnostics withAccessCheck(AccessCheck other) {
    return new Diagnostics(creationSites, other, listener);
  }

  /** The same with another listener. */
  public Diagnostics withListener(DiagnosticsListener other) {
    return new Diagnostics(creationSites, accessCheck, other);
  }
}
