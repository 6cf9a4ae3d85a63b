package dev.reprise.llama.tokenizer;

/**
 * Cuts text into the pieces within which bytes are merged, by GPT-2's rule, the first of these that
 * matches:
 *
 * <pre>{@code 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+}</pre>
 *
 * <p>It is written out by hand, because it then takes time in proportion to the text whatever the
 * text is. Classes are those of the JDK's Unicode version; {@code \s} is the property White_Space.
 * An unpaired surrogate is neither letter, number nor space.
 */
final class PreTokenizer {
  private enum Kind {
    LETTER,
    NUMBER,
    SPACE,
    OTHER
  }

  private PreTokenizer() {}

  /** Where the piece that begins at {@code start}, an index inside the text, ends. */
  static int end(String text, int start) {
    int contraction = contraction(text, start);
    if (contraction > 0) {
      return start + contraction;
    }
    Kind kind = kindAt(text, start);
    if (kind != Kind.SPACE) {
      return runEnd(text, start, kind);
    }
    if (text.charAt(start) == ' ' && start + 1 < text.length()) {
      Kind next = kindAt(text, start + 1);
      if (next != Kind.SPACE) {
        return runEnd(text, start + 1, next);
      }
    }
    int end = runEnd(text, start, Kind.SPACE);
    // The last space before a word belongs to the word's piece, or is a piece of its own. All
    // spaces are one char long.
    return end == text.length() || end - 1 == start ? end : end - 1;
  }

  private static int contraction(String text, int at) {
    if (text.charAt(at) != '\'' || at + 1 == text.length()) {
      return 0;
    }
    char second = text.charAt(at + 1);
    if (second == 's' || second == 't' || second == 'm' || second == 'd') {
      return 2;
    }
    return text.startsWith("re", at + 1)
            || text.startsWith("ve", at + 1)
            || text.startsWith("ll", at + 1)
        ? 3
        : 0;
  }

  private static int runEnd(String text, int start, Kind kind) {
    int at = start;
    while (at < text.length() && kindAt(text, at) == kind) {
      at += Character.charCount(text.codePointAt(at));
    }
    return at;
  }

  private static Kind kindAt(String text, int at) {
    int c = text.codePointAt(at);
    if (Character.isLetter(c)) {
      return Kind.LETTER;
    }
    if (isWhiteSpace(c)) {
      return Kind.SPACE;
    }
    return switch (Character.getType(c)) {
      case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER ->
          Kind.NUMBER;
      default -> Kind.OTHER;
    };
  }

  /**
   * The Unicode property White_Space (PropList.txt), which the JDK offers to regular expressions
   * only.
   */
  private static boolean isWhiteSpace(int c) {
    return (c >= 0x09 && c <= 0x0d)
        || c == 0x20
        || c == 0x85
        || c == 0xa0
        || c == 0x1680
        || (c >= 0x2000 && c <= 0x200a)
        || c == 0x2028
        || c == 0x2029
        || c == 0x202f
        || c == 0x205f
        || c == 0x3000;
  }
}
