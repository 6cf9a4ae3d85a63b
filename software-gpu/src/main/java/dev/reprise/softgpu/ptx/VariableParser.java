package dev.reprise.softgpu.ptx;

import java.util.ArrayList;
import java.util.List;

/** Declarations of variables and parameters, with their initialisers. */
final class VariableParser {
  private static final int MOST_ALIGNMENT = 1 << 16;
  private static final long MOST_BYTES = 1L << 30;
  private static final int DEEPEST = 32;

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
        Token number = in.peek();
        alignment = in.expectSize("an alignment", MOST_ALIGNMENT);
        if (Integer.bitCount(alignment) != 1) {
          throw new PtxException(
              number.line(),
              number.column(),
              "an alignment must be a power of two, not " + alignment);
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
    Token at = in.peek();
    long elements = 1;
    while (in.accept("[")) {
      long length = in.isNext("]") ? 0 : in.expectInteger("an array length");
      if (length < 0 || length > MOST_BYTES || elements * length > MOST_BYTES) {
        throw new PtxException(
            at.line(), at.column(), "the array " + name + " is too long: " + length);
      }
      elements *= length;
      in.expect("]");
    }
    List<Variable.Initial> initial = new ArrayList<>();
    if (initialisers && in.accept("=")) {
      initialiser(initial, h.type, 0);
      if (elements == 0) {
        elements = initial.size() / h.vector;
      }
    }
    return new Variable(
        line, linkage, space, h.alignment, h.type, h.vector, name, elements, List.copyOf(initial));
  }

  private void initialiser(List<Variable.Initial> to, PtxType type, int depth) {
    if (depth > DEEPEST) {
      throw in.error("initial values are nested deeper than " + DEEPEST);
    }
    if (in.accept("{")) {
      while (!in.isNext("}")) {
        initialiser(to, type, depth + 1);
        if (!in.isNext("}")) {
          in.expect(",");
        }
      }
      in.expect("}");
      return;
    }
    Token t = in.peek();
    if (t.kind() == Token.Kind.WORD) {
      to.add(address(-1));
      return;
    }
    if (t.kind() == Token.Kind.INTEGER && in.peek(1).is("(")) {
      in.next();
      in.expect("(");
      if (t.bits() == 0) {
        throw new PtxException(t.line(), t.column(), "a mask of an address must not be 0");
      }
      to.add(address(t.bits()));
      in.expect(")");
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

  /** {@code symbol}, {@code symbol+8} or {@code generic(symbol)+8}. */
  private Variable.Initial address(long mask) {
    String name = in.expectWord("a symbol");
    boolean generic = name.equals("generic") && in.accept("(");
    String symbol = generic ? in.expectWord("a symbol") : name;
    if (generic) {
      in.expect(")");
    }
    if (in.isNext("(")) {
      throw in.error("the initialiser " + name + "(...) is not supported");
    }
    long offset =
        in.accept("+")
            ? in.expectInteger("an offset")
            : in.isNext("-") ? in.expectInteger("an offset") : 0;
    return new Variable.Initial(offset, null, symbol, generic, mask);
  }
}
