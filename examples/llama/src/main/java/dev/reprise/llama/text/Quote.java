package dev.reprise.llama.text;

/** Text from a file made fit for a message: one line, no control characters, not long. */
public final class Quote {
  private static final int LONGEST = 80;

  private Quote() {}

  /** The text in quotes, with escapes, and cut after 80 characters. */
  public static String quote(String text) {
    StringBuilder out = new StringBuilder("\"");
    int shown = 0;
    for (int i = 0; i < text.length() && shown < LONGEST; shown++) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (Character.isISOControl(c)
          || (Character.isWhitespace(c) && c != ' ')
          || Character.getType(c) == Character.FORMAT
          || c == '"'
          || c == '\\') {
        out.append(String.format("\\u%04x", c));
      } else {
        out.appendCodePoint(c);
      }
    }
    return out.append(text.codePointCount(0, text.length()) > LONGEST ? "…\"" : "\"").toString();
  }
}
