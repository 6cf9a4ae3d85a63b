package dev.reprise.softgpu.ptx;

import java.util.ArrayList;
import java.util.List;

/** Text to tokens (PTX ISA, "Syntax"). */
final class Lexer {
  private final String text;
  private int at;
  private int line = 1;
  private int lineStart;
  private final List<Token> tokens = new ArrayList<>();

  private Lexer(String text) {
    this.text = text;
  }

  static List<Token> tokens(String text) {
    return new Lexer(text).run();
  }

  private List<Token> run() {
    while (true) {
      skipBlanks();
      int start = at;
      char c = peek(0);
      if (at >= text.length()) {
        add(Token.Kind.END, "", 0, start);
        return tokens;
      }
      if (c >= '0' && c <= '9') {
        number();
      } else if (isWordStart(c)) {
        add(Token.Kind.WORD, word(), 0, start);
      } else if (c == '.' && isWordPart(peek(1))) {
        at++;
        add(Token.Kind.DOT_WORD, dotWord(), 0, start);
      } else if (c == '"') {
        string();
      } else if ("{}[](),;:|!@=+-<>~*/&".indexOf(c) >= 0) {
        at++;
        add(Token.Kind.PUNCTUATION, String.valueOf(c), 0, start);
      } else {
        throw error(
            start,
            "unexpected character "
                + (c < ' ' || c > '~' ? String.format("U+%04X", (int) c) : "'" + c + "'"));
      }
    }
  }

  private char peek(int ahead) {
    return at + ahead < text.length() ? text.charAt(at + ahead) : '\0';
  }

  private void add(Token.Kind kind, String shown, long bits, int start) {
    tokens.add(new Token(kind, shown, bits, line, start - lineStart + 1));
  }

  private PtxException error(int start, String message) {
    return new PtxException(line, start - lineStart + 1, message);
  }

  private void skipBlanks() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '\n') {
        at++;
        line++;
        lineStart = at;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\0') {
        // The driver takes text that is ended by a zero byte.
        at++;
      } else if (c == '/' && peek(1) == '/') {
        while (at < text.length() && text.charAt(at) != '\n') {
          at++;
        }
      } else if (c == '/' && peek(1) == '*') {
        skipComment();
      } else {
        return;
      }
    }
  }

  private void skipComment() {
    int start = at;
    int end = text.indexOf("*/", at + 2);
    if (end < 0) {
      throw error(start, "the comment is not closed: expected */");
    }
    for (; at < end; at++) {
      if (text.charAt(at) == '\n') {
        line++;
        lineStart = at + 1;
      }
    }
    at = end + 2;
  }

  private static boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
  }

  private static boolean isWordPart(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '$';
  }

  private String word() {
    int start = at++;
    while (isWordPart(peek(0))) {
      at++;
    }
    return text.substring(start, at);
  }

  /** Modifiers may hold "::" as in {@code .L1::no_allocate}. */
  private String dotWord() {
    int start = at;
    word();
    while (peek(0) == ':' && peek(1) == ':' && isWordPart(peek(2))) {
      at += 2;
      while (isWordPart(peek(0))) {
        at++;
      }
    }
    return text.substring(start, at);
  }

  private void string() {
    int start = at++;
    while (peek(0) != '"') {
      if (at >= text.length() || peek(0) == '\n') {
        throw error(start, "the string is not closed: expected \"");
      }
      at++;
    }
    at++;
    add(Token.Kind.STRING, text.substring(start + 1, at - 1), 0, start);
  }

  private void number() {
    int start = at;
    char second = peek(1);
    if (peek(0) == '0' && (second == 'f' || second == 'F')) {
      add(
          Token.Kind.FLOAT32,
          digits(start, 2, 16, 8),
          Long.parseLong(text, start + 2, at, 16),
          start);
      return;
    }
    if (peek(0) == '0' && (second == 'd' || second == 'D')) {
      add(
          Token.Kind.FLOAT64,
          digits(start, 2, 16, 16),
          Long.parseUnsignedLong(text, start + 2, at, 16),
          start);
      return;
    }
    int radix = 10;
    int prefix = 0;
    if (peek(0) == '0' && (second == 'x' || second == 'X')) {
      radix = 16;
      prefix = 2;
    } else if (peek(0) == '0' && (second == 'b' || second == 'B')) {
      radix = 2;
      prefix = 2;
    } else if (decimalFloat()) {
      return;
    } else if (peek(0) == '0' && second >= '0' && second <= '7') {
      radix = 8;
      prefix = 1;
    }
    String shown = digits(start, prefix, radix, 0);
    long value;
    try {
      value = Long.parseUnsignedLong(text, start + prefix, at, radix);
    } catch (NumberFormatException e) {
      throw error(start, "the number " + shown + " does not fit 64 bits");
    }
    if (peek(0) == 'U') {
      at++;
    }
    if (isWordPart(peek(0))) {
      throw error(start, "malformed number: expected digits of base " + radix);
    }
    add(Token.Kind.INTEGER, shown, value, start);
  }

  /** Moves past the digits; {@code count} digits exactly where it is not 0. */
  private String digits(int start, int prefix, int radix, int count) {
    at = start + prefix;
    int first = at;
    while (Character.digit(peek(0), radix) >= 0) {
      at++;
    }
    if (at == first || (count > 0 && at - first != count)) {
      throw error(
          start,
          "malformed number: expected "
              + (count > 0 ? count + " " : "")
              + "digits of base "
              + radix);
    }
    return text.substring(start, at);
  }

  private boolean decimalFloat() {
    int end = at;
    while (end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    boolean real = false;
    if (end + 1 < text.length()
        && text.charAt(end) == '.'
        && Character.isDigit(text.charAt(end + 1))) {
      real = true;
      end++;
      while (end < text.length() && Character.isDigit(text.charAt(end))) {
        end++;
      }
    }
    if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
      int digit = end + 1;
      if (digit < text.length() && (text.charAt(digit) == '+' || text.charAt(digit) == '-')) {
        digit++;
      }
      if (digit < text.length() && Character.isDigit(text.charAt(digit))) {
        real = true;
        end = digit;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
          end++;
        }
      }
    }
    if (!real) {
      return false;
    }
    int start = at;
    at = end;
    String shown = text.substring(start, end);
    add(Token.Kind.FLOAT64, shown, Double.doubleToRawLongBits(Double.parseDouble(shown)), start);
    return true;
  }
}
