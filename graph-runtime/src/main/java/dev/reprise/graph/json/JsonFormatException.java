package dev.reprise.graph.json;

/**
 * A JSON document that is not what it should be. The message names file, line, field and remedy.
 */
public final class JsonFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  /** With a complete message. */
  public JsonFormatException(String message) {
    super(message);
  }
}
