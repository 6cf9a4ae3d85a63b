package dev.reprise.cuda.diagnostics;

/**
 * A host function threw. The driver knows of no failing host functions, so the work behind it went
 * on.
 *
 * @param label the label of the function
 * @param failure what it threw
 */
public record HostFunctionFailure(String label, Throwable failure) {

  /** One line for a log. */
  public String describe() {
    return "Host function '%s' threw: %s".formatted(label, failure);
  }
}
