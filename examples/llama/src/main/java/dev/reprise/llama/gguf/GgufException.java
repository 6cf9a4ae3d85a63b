package dev.reprise.llama.gguf;

import org.jspecify.annotations.Nullable;

/**
 * A file that is not a usable GGUF file, or that lacks what was asked of it. It is the only
 * exception that reading a damaged or hostile file raises. The message names the file, the byte
 * offset where there is one, what was expected and what was found.
 */
public final class GgufException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;

  private GgufException(String file, long offset, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.file = file;
    this.offset = offset;
  }

  static GgufException at(String file, long offset, String expected, String found) {
    return new GgufException(
        file,
        offset,
        file + ": at byte " + offset + ": expected " + expected + ", found " + found,
        null);
  }

  static GgufException of(String file, String problem) {
    return new GgufException(file, -1, file + ": " + problem, null);
  }

  static GgufException of(String file, String problem, Throwable cause) {
    return new GgufException(file, -1, file + ": " + problem, cause);
  }

  /** The name of the file, as given when it was opened. */
  public String file() {
    return file;
  }

  /**
   * The offset in bytes of what is wrong, or -1 when the failure belongs to no place in the file.
   */
  public long offset() {
    return offset;
  }
}
