package dev.reprise.graph.adapter;

/** An adapter could not be loaded, unloaded or used. */
public final class AdapterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Says why. */
  public AdapterException(String message) {
    super(message);
  }
}
