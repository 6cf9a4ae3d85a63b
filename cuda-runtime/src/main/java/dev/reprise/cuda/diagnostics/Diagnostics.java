package dev.reprise.cuda.diagnostics;

/**
 * How much the runtime keeps about each object, and where its reports go.
 *
 * @param creationSites whether each object remembers where it was created and closed; a use after
 *     close and a leak then show it. Costs a stack walk for each object
 * @param listener receives leaks and failures of cleanup
 */
public record Diagnostics(boolean creationSites, DiagnosticsListener listener) {

  /** No creation sites; reports are logged as warnings. */
  public static Diagnostics standard() {
    return new Diagnostics(false, LoggingListener.INSTANCE);
  }

  /** The same with creation sites on. */
  public Diagnostics withCreationSites() {
    return new Diagnostics(true, listener);
  }

  /** The same with another listener. */
  public Diagnostics withListener(DiagnosticsListener other) {
    return new Diagnostics(creationSites, other);
  }
}
