package dev.reprise.softgpu.inspect;

/**
 * Something that keeps a PTX text from being loaded.
 *
 * @param kind what is wrong
 * @param line 1-based line, 0 where no line is to blame
 * @param column 1-based column, 0 where only the line is known
 * @param message with line and column, and what was expected or is not supported
 */
public record PtxProblem(Kind kind, int line, int column, String message) {

  /** What is wrong with the text. */
  public enum Kind {
    /** The text is not PTX, or of a newer version. */
    SYNTAX,

    /** An instruction or a form of it that the software GPU does not execute. */
    UNSUPPORTED,

    /** The text is PTX but contradicts itself, such as a name that nothing declares. */
    INVALID
  }
}
