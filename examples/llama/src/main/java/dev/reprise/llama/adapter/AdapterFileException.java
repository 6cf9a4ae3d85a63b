package dev.reprise.llama.adapter;

import org.jspecify.annotations.Nullable;

/**
 * A file is no usable adapter for the model. It is the only exception that reading a damaged or
 * hostile file raises; the message names the file, what is wrong and what would do.
 */
public final class AdapterFileException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  AdapterFileException(String file, String problem) {
    this(file, problem, null);
  }

  AdapterFileException(String file, String problem, @Nullable Throwable cause) {
    super(file + ": " + problem, cause);
  }
}
