package dev.reprise.softgpu.ptx;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Function bodies: statements and operands. */
final class BodyParser {
  private final TokenStream in;

  /** Scopes within scopes, more of which no program has. */
  private static final int DEEPEST = 200;

  private static final int MOST_REGISTERS = 1 << 24;

  /** Operands are lists of operands at most. */
  private static final int DEEPEST_OPERAND = 4;

  private final VariableParser variables;
  private final FileTable files;
  private Statement.@Nullable SourceLine source;
  private int depth;
  private int operandDepth;

  BodyParser(TokenStream in, VariableParser variables, FileTable files) {
    this.in = in;
    this.variables = variables;
    this.files = files;
  }

  /** {@code { ... }}, both braces included. */
  List<Statement> body() {
    List<Statement> out = new ArrayList<>();
    if (depth == DEEPEST) {
      throw in.error("scopes are nested deeper than " + DEEPEST);
    }
    in.expect("{");
    depth++;
    while (!in.accept("}")) {
      statement(out);
    }
    depth--;
    return out;
  }

  private void statement(List<Statement> out) {
    Token t = in.peek();
    switch (t.kind()) {
      case DOT_WORD -> directive(t, out);
      case WORD -> {
        if (in.peek(1).is(":")) {
          in.next();
          in.next();
          label(t, out);
        } else {
          out.add(instruction(null));
        }
      }
      case PUNCTUATION -> {
        if (t.is("{")) {
          out.add(new Statement.Scope(t.line(), body()));
        } else if (t.is("@")) {
          out.add(guarded());
        } else if (!in.accept(";")) {
          throw in.expected("an instruction, a directive or '}'");
        }
      }
      default -> throw in.expected("an instruction, a directive or '}'");
    }
  }

  private void label(Token name, List<Statement> out) {
    if (in.acceptDot("branchtargets")) {
      List<String> labels = new ArrayList<>();
      do {
        labels.add(in.expectWord("a label"));
      } while (in.accept(","));
      in.expect(";");
      out.add(new Statement.BranchTargets(name.line(), name.text(), labels));
    } else if (in.acceptDot("callprototype")) {
      out.add(prototype(name));
    } else if (in.isDot("calltargets")) {
      // Any function whose address was taken can be called.
      in.skipStatement();
    } else {
      out.add(new Statement.Label(name.line(), name.text()));
    }
  }

  private Statement prototype(Token name) {
    List<Variable> results = in.isNext("(") ? variables.parameters() : List.of();
    in.expectWord("'_'");
    List<Variable> parameters = in.isNext("(") ? variables.parameters() : List.of();
    // Attributes such as .noreturn.
    in.skipStatement();
    return new Statement.CallPrototype(name.line(), name.text(), results, parameters);
  }

  private void location() {
    int line = in.next().line();
    int file = (int) in.expectInteger("the number of a file");
    source = new Statement.SourceLine(file, (int) in.expectInteger("a line"));
    // The column, and where the function was inlined, are of no interest.
    in.skipLine(line);
  }

  private void directive(Token t, List<Statement> out) {
    switch (t.text()) {
      case "reg" -> registers(out);
      case "loc" -> location();
      case "pragma" -> in.skipStatement();
      case "section" -> {
        in.next();
        in.next();
        in.skipBraces();
      }
      case "file" -> files.directive(in);
      default -> {
        if (!VariableParser.isSpace(t)) {
          throw in.error("unknown directive " + t.shown());
        }
        for (Variable v : variables.declaration("")) {
          out.add(new Statement.Declaration(v.line(), v));
        }
      }
    }
  }

  private void registers(List<Statement> out) {
    int line = in.next().line();
    int vector = in.acceptDot("v2") ? 2 : in.acceptDot("v4") ? 4 : 1;
    PtxType type = variables.type();
    do {
      String name = in.expectWord("a register name");
      int count = -1;
      if (in.accept("<")) {
        count = in.expectSize("a register count", MOST_REGISTERS);
        in.expect(">");
      }
      out.add(new Statement.Registers(line, type, vector, name, count));
    } while (in.accept(","));
    in.expect(";");
  }

  private Statement guarded() {
    in.expect("@");
    boolean negated = in.accept("!");
    String predicate = in.expectWord("a predicate register");
    return instruction(new Statement.Guard(predicate, negated));
  }

  private Statement instruction(Statement.@Nullable Guard guard) {
    Token opcode = in.peek();
    in.expectWord("an instruction");
    List<String> modifiers = new ArrayList<>();
    while (in.peek().kind() == Token.Kind.DOT_WORD) {
      modifiers.add(in.next().text());
    }
    List<Operand> operands = new ArrayList<>();
    if (!in.isNext(";")) {
      do {
        operands.add(operand());
      } while (in.accept(","));
    }
    in.expect(";");
    return new Statement.Instruction(
        opcode.line(),
        opcode.column(),
        guard,
        opcode.text(),
        List.copyOf(modifiers),
        List.copyOf(operands),
        source);
  }

  private Operand operand() {
    Token t = in.peek();
    if (in.accept("{")) {
      return new Operand.Vector(list("}"));
    }
    if (in.accept("(")) {
      return new Operand.Arguments(list(")"));
    }
    if (in.accept("[")) {
      return address();
    }
    if (in.accept("!")) {
      return new Operand.Negated(name());
    }
    if (t.kind() == Token.Kind.WORD) {
      Operand.Name name = name();
      if (in.accept("|")) {
        return new Operand.Pair(name, name());
      }
      return name;
    }
    boolean negative = in.accept("-");
    Token number = in.peek();
    Operand value =
        switch (number.kind()) {
          case INTEGER -> new Operand.IntImmediate(negative ? -number.bits() : number.bits());
          case FLOAT32 -> {
            float f = Float.intBitsToFloat((int) number.bits());
            yield new Operand.FloatImmediate(negative ? -f : f, true);
          }
          case FLOAT64 -> {
            double d = Double.longBitsToDouble(number.bits());
            yield new Operand.FloatImmediate(negative ? -d : d, false);
          }
          default -> throw in.expected("an operand");
        };
    in.next();
    return value;
  }

  private List<Operand> list(String close) {
    if (++operandDepth > DEEPEST_OPERAND) {
      throw in.error("operands are nested deeper than " + DEEPEST_OPERAND);
    }
    List<Operand> all = new ArrayList<>();
    while (!in.isNext(close)) {
      all.add(operand());
      if (!in.isNext(close)) {
        in.expect(",");
      }
    }
    in.expect(close);
    operandDepth--;
    return List.copyOf(all);
  }

  private Operand.Name name() {
    String text = in.expectWord("a name");
    if (in.peek().kind() == Token.Kind.DOT_WORD) {
      text += "." + in.next().text();
    }
    return new Operand.Name(text, offset());
  }

  private long offset() {
    if (in.accept("+")) {
      return in.expectInteger("an offset");
    }
    return in.isNext("-") ? in.expectInteger("an offset") : 0;
  }

  private Operand address() {
    Operand.Name base = null;
    long offset;
    if (in.peek().kind() == Token.Kind.WORD) {
      Operand.Name name = name();
      base = new Operand.Name(name.text(), 0);
      offset = name.offset();
    } else {
      offset = in.expectInteger("an address: a register, a variable or a number");
    }
    List<Operand> more = new ArrayList<>();
    if (in.accept(",")) {
      more.addAll(list("]"));
    } else {
      in.expect("]");
    }
    return new Operand.Address(base, offset, List.copyOf(more));
  }
}
