package dev.reprise.softgpu.ptx;

/**
 * A token and where it starts (1-based). {@code text} is without the dot for a {@code DOT_WORD},
 * without quotes for a {@code STRING}.
 */
record Token(Kind kind, String text, long bits, int line, int column) {
  enum Kind {
    WORD,
    DOT_WORD,
    INTEGER,
    /** {@code 0f}: bits of a float in {@code bits}. */
    FLOAT32,
    /** {@code 0d} or decimal: bits of a double in {@code bits}. */
    FLOAT64,
    STRING,
    PUNCTUATION,
    END
  }

  boolean is(String punctuation) {
    return kind == Kind.PUNCTUATION && text.equals(punctuation);
  }

  String shown() {
    return switch (kind) {
      case END -> "the end of the text";
      case DOT_WORD -> "'." + text + "'";
      case STRING -> "\"" + text + "\"";
      default -> "'" + text + "'";
    };
  }
}
