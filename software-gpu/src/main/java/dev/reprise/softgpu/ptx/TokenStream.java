package dev.reprise.softgpu.ptx;

import java.util.List;

/** Tokens with a position, and the errors that name what was expected. */
final class TokenStream {
  private final List<Token> tokens;
  private int at;

  TokenStream(List<Token> tokens) {
    this.tokens = tokens;
  }

  Token peek() {
    return tokens.get(at);
  }

  Token peek(int ahead) {
    return tokens.get(Math.min(at + ahead, tokens.size() - 1));
  }

  Token next() {
    Token t = tokens.get(at);
    if (at < tokens.size() - 1) {
      at++;
    }
    return t;
  }

  boolean isNext(String punctuation) {
    return peek().is(punctuation);
  }

  boolean accept(String punctuation) {
    if (peek().is(punctuation)) {
      next();
      return true;
    }
    return false;
  }

  boolean acceptDot(String word) {
    if (isDot(word)) {
      next();
      return true;
    }
    return false;
  }

  boolean isDot(String word) {
    Token t = peek();
    return t.kind() == Token.Kind.DOT_WORD && t.text().equals(word);
  }

  Token expect(String punctuation) {
    if (!peek().is(punctuation)) {
      throw expected("'" + punctuation + "'");
    }
    return next();
  }

  String expectWord(String what) {
    if (peek().kind() != Token.Kind.WORD) {
      throw expected(what);
    }
    return next().text();
  }

  long expectInteger(String what) {
    boolean negative = accept("-");
    if (peek().kind() != Token.Kind.INTEGER) {
      throw expected(what);
    }
    long v = next().bits();
    return negative ? -v : v;
  }

  /** A number from 0 to {@code most}. */
  int expectSize(String what, int most) {
    Token at = peek();
    long v = expectInteger(what);
    if (v < 0 || v > most) {
      throw new PtxException(at.line(), at.column(), what + " must be 0 to " + most + ", not " + v);
    }
    return (int) v;
  }

  PtxException expected(String what) {
    return error("expected " + what + " but found " + peek().shown());
  }

  PtxException error(String message) {
    return new PtxException(peek().line(), peek().column(), message);
  }

  /** Skips the rest of the source line that the current token is on. */
  void skipLine(int line) {
    while (peek().line() == line && peek().kind() != Token.Kind.END) {
      next();
    }
  }

  /** Skips past the next {@code ;}. */
  void skipStatement() {
    while (!isNext(";")) {
      if (peek().kind() == Token.Kind.END) {
        throw expected("';'");
      }
      next();
    }
    next();
  }

  /** Skips a block in braces, nested ones included. */
  void skipBraces() {
    expect("{");
    for (int depth = 1; depth > 0; ) {
      Token t = next();
      if (t.is("{")) {
        depth++;
      } else if (t.is("}")) {
        depth--;
      } else if (t.kind() == Token.Kind.END) {
        throw expected("'}'");
      }
    }
  }
}
