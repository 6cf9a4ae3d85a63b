package dev.reprise.llama;

/**
 * A well-formed GGUF file holds a model that cannot be run; the message says what stands in the
 * way.
 */
public final class UnsupportedModelException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnsupportedModelException(String file, String reason) {
    super(file + ": " + reason);
  }
}
