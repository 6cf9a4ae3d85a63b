package dev.reprise.softgpu.ptx;

/** PTX text that cannot be parsed or loaded. */
public final class PtxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;
  private final int column;

  /**
   * @param line 1-based line of the text
   * @param column 1-based column, or 0 when only the line is known
   */
  public PtxException(int line, int column, String message) {
    super("line " + line + (column > 0 ? ", column " + column : "") + ": " + message);
    this.line = line;
    this.column = column;
  }

  public int line() {
    return line;
  }

  public int column() {
    return column;
  }
}
