package dev.reprise.softgpu.ptx;

import java.util.ArrayList;
import java.util.List;

/** Declarations of variables and parameters, with their initialisers. */
final class VariableParser {
  private final TokenStream in;

  VariableParser(TokenStream in) {
    this.in = in;
  }

  /** After the linkage; the space is the next token. Takes the final {@code ;}. */
  List<Variable> declaration(String linkage) {
    Space space = space(in.next());
    Header h = header();
    List<Variable> all = new ArrayList<>();
    do {
      all.add(variable(linkage, space, h, true));
    } while (in.accept(","));
    in.expect(";");
    return all;
  }

  /** {@code (.param .u32 a, .reg .f32 %b)}; both brackets are taken. */
  List<Variable> parameters() {
    List<Variable> all = new ArrayList<>();
    in.expect("(");
    while (!in.isNext(")")) {
      if (!in.isDot("param") && !in.isDot("reg")) {
        throw in.expected("'.param'");
      }
      if (in.isDot("reg")) {
        throw in.error("parameters in registers (.reg) are not supported: expected '.param'");
      }
      in.next();
      all.add(variable("", Space.PARAM, header(), false));
      if (!in.isNext(")")) {
        in.expect(",");
      }
    }
    in.expect(")");
    return all;
  }

  static boolean isSpace(Token t) {
    return t.kind() == Token.Kind.DOT_WORD
        && switch (t.text()) {
          case "global", "const", "shared", "local", "param" -> true;
          default -> false;
        };
  }

  private static Space space(Token t) {
    return switch (t.text()) {
      case "global" -> Space.GLOBAL;
      case "const" -> Space.CONST;
      case "shared" -> Space.SHARED;
      case "local" -> Space.LOCAL;
      case "param" -> Space.PARAM;
      default ->
          throw new PtxException(
              t.line(), t.column(), "expected a state space but found " + t.shown());
    };
  }

  private record Header(int alignment, PtxType type, int vector) {}

  private Header header() {
    int alignment = 0;
    int vector = 1;
    while (true) {
      if (in.acceptDot("align")) {
        alignment = (int) in.expectInteger("an alignment");
        if (alignment <= 0 || Integer.bitCount(alignment) != 1) {
          throw in.error("an alignment must be a power of two, not " + alignment);
        }
      } else if (in.acceptDot("attribute")) {
        in.expect("(");
        while (!in.accept(")")) {
          in.next();
        }
      } else if (in.acceptDot("ptr")) {
        if (isSpace(in.peek())) {
          in.next();
        }
      } else if (in.acceptDot("v2")) {
        vector = 2;
      } else if (in.acceptDot("v4")) {
        vector = 4;
      } else {
        break;
      }
    }
    PtxType type = type();
    // Pointer attributes of parameters follow the type.
    if (in.acceptDot("ptr")) {
      if (isSpace(in.peek())) {
        in.next();
      }
      if (in.acceptDot("align")) {
        in.expectInteger("an alignment");
      }
    }
    return new Header(Math.max(alignment, type.bytes() * vector), type, vector);
  }

  PtxType type() {
    Token t = in.peek();
    PtxType type = t.kind() == Token.Kind.DOT_WORD ? PtxType.of(t.text()) : null;
    if (type == null) {
      throw in.expected("a type such as '.b32'");
    }
    in.next();
    return type;
  }

  private Variable variable(String linkage, Space space, Header h, boolean initialisers) {
    int line = in.peek().line();
    String name = in.expectWord("a variable name");
    long elements = 1;
    while (in.accept("[")) {
      elements *= in.isNext("]") ? 0 : in.expectInteger("an array length");
      in.expect("]");
    }
    List<Variable.Initial> initial = new ArrayList<>();
    if (initialisers && in.accept("=")) {
      initialiser(initial, h.type);
      if (elements == 0) {
        elements = initial.size() / h.vector;
      }
    }
    return new Variable(
        line, linkage, space, h.alignment, h.type, h.vector, name, elements, List.copyOf(initial));
  }

  private void initialiser(List<Variable.Initial> to, PtxType type) {
    if (in.accept("{")) {
      while (!in.isNext("}")) {
        initialiser(to, type);
        if (!in.isNext("}")) {
          in.expect(",");
        }
      }
      in.expect("}");
      return;
    }
    Token t = in.peek();
    if (t.kind() == Token.Kind.WORD) {
      in.next();
      boolean generic = t.text().equals("generic") && in.accept("(");
      String symbol = generic ? in.expectWord("a symbol") : t.text();
      if (generic) {
        in.expect(")");
      }
      if (in.isNext("(")) {
        throw in.error("the initialiser " + t.text() + "(...) is not supported");
      }
      long offset =
          in.accept("+")
              ? in.expectInteger("an offset")
              : in.isNext("-") ? in.expectInteger("an offset") : 0;
      to.add(new Variable.Initial(offset, null, symbol, generic));
      return;
    }
    boolean negative = in.accept("-");
    t = in.peek();
    switch (t.kind()) {
      case INTEGER -> {
        long v = negative ? -t.bits() : t.bits();
        to.add(new Variable.Initial(v, type.floating() ? (double) v : null, null, false));
      }
      case FLOAT32 -> {
        float f = Float.intBitsToFloat((int) t.bits());
        to.add(
            new Variable.Initial(
                t.bits() ^ (negative ? 0x8000_0000L : 0),
                (double) (negative ? -f : f),
                null,
                false));
      }
      case FLOAT64 -> {
        double d = Double.longBitsToDouble(t.bits());
        to.add(new Variable.Initial(0, negative ? -d : d, null, false));
      }
      default -> throw in.expected("an initial value");
    }
    in.next();
  }
}
