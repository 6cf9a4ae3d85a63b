package dev.reprise.softgpu.ptx;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses PTX text of version 9.0 and earlier. Modules of other versions or address sizes are
 * refused.
 */
public final class PtxParser {
  private static final int NEWEST_VERSION = 90;

  private final TokenStream in;
  private final VariableParser variables;
  private final BodyParser bodies;
  private final List<Variable> moduleVariables = new ArrayList<>();
  private final List<Function> functions = new ArrayList<>();
  private final FileTable files = new FileTable();
  private final List<Alias> aliases = new ArrayList<>();
  private int version;
  private String target = "";

  /** Another name for a function. */
  private record Alias(Token at, String name, String of) {}

  private PtxParser(String text) {
    in = new TokenStream(Lexer.tokens(text));
    variables = new VariableParser(in);
    bodies = new BodyParser(in, variables, files);
  }

  /**
   * @throws PtxException naming line, column and what was expected there
   */
  public static PtxModule parse(String text) {
    return new PtxParser(text).module();
  }

  private PtxModule module() {
    if (!in.isDot("version")) {
      throw in.expected("'.version' at the start of the text");
    }
    while (in.peek().kind() != Token.Kind.END) {
      directive();
    }
    if (target.isEmpty()) {
      throw in.expected("a '.target' directive");
    }
    aliases.forEach(this::resolve);
    return new PtxModule(
        version, target, List.copyOf(moduleVariables), List.copyOf(functions), files.names());
  }

  private void directive() {
    Token t = in.peek();
    if (t.kind() != Token.Kind.DOT_WORD) {
      throw in.expected("a directive such as '.entry'");
    }
    switch (t.text()) {
      case "version" -> version();
      case "target" -> target();
      case "address_size" -> {
        in.next();
        long bits = in.expectInteger("an address size");
        if (bits != 64) {
          throw new PtxException(
              t.line(), t.column(), "only .address_size 64 is supported, not " + bits);
        }
      }
      case "file" -> files.directive(in);
      case "alias" -> alias();
      case "section" -> {
        in.next();
        in.next();
        in.skipBraces();
      }
      case "pragma" -> in.skipStatement();
      default -> linked();
    }
  }

  private void alias() {
    Token at = in.next();
    String name = in.expectWord("the new name of a function");
    in.expect(",");
    aliases.add(new Alias(at, name, in.expectWord("the name of a function")));
    in.expect(";");
  }

  private void resolve(Alias alias) {
    Function f =
        functions.stream()
            .filter(x -> x.name().equals(alias.of) && x.body() != null && !x.entry())
            .findFirst()
            .orElseThrow(() ->
                new PtxException(
                    alias.at.line(),
                    alias.at.column(),
                    alias.name + " is an alias of " + alias.of + ", which is no function here"));
    functions.add(
        new Function(
            f.line(),
            false,
            f.linkage(),
            alias.name,
            f.results(),
            f.parameters(),
            f.directives(),
            f.body()));
  }

  private void version() {
    Token at = in.next();
    Token number = in.peek();
    if (number.kind() != Token.Kind.FLOAT64) {
      throw in.expected("a version such as 8.0");
    }
    in.next();
    version = (int) Math.round(Double.longBitsToDouble(number.bits()) * 10);
    if (version > NEWEST_VERSION) {
      throw new PtxException(
          at.line(),
          number.column(),
          "PTX version " + number.text() + " is newer than 9.0, the newest supported");
    }
  }

  private void target() {
    in.next();
    target = in.expectWord("a target such as sm_75");
    while (in.accept(",")) {
      in.expectWord("a target option");
    }
  }

  private void linked() {
    String linkage = "";
    while (in.isDot("visible") || in.isDot("extern") || in.isDot("weak") || in.isDot("common")) {
      linkage = in.next().text();
    }
    if (in.isDot("entry")) {
      functions.add(function(true, linkage));
    } else if (in.isDot("func")) {
      functions.add(function(false, linkage));
    } else if (VariableParser.isSpace(in.peek())) {
      moduleVariables.addAll(variables.declaration(linkage));
    } else {
      throw in.expected("'.entry', '.func' or a variable declaration");
    }
  }

  private Function function(boolean entry, String linkage) {
    in.next();
    Map<String, List<Long>> directives = new HashMap<>();
    attributes(directives);
    List<Variable> results = !entry && in.isNext("(") ? variables.parameters() : List.of();
    int line = in.peek().line();
    String name = in.expectWord("the name of the function");
    List<Variable> parameters = in.isNext("(") ? variables.parameters() : List.of();
    attributes(directives);
    List<Statement> body = null;
    if (!in.accept(";")) {
      if (!in.isNext("{")) {
        throw in.expected("'{' or ';'");
      }
      body = bodies.body();
    }
    return new Function(
        line, entry, linkage, name, results, parameters, Map.copyOf(directives), body);
  }

  private void attributes(Map<String, List<Long>> directives) {
    while (in.peek().kind() == Token.Kind.DOT_WORD) {
      Token directive = in.next();
      if (directive.text().equals("pragma")) {
        in.skipStatement();
        continue;
      }
      if (directive.text().equals("attribute")) {
        in.expect("(");
        while (!in.accept(")")) {
          in.next();
        }
        continue;
      }
      List<Long> numbers = new ArrayList<>();
      if (in.peek().kind() == Token.Kind.INTEGER) {
        do {
          numbers.add(in.expectInteger("a number"));
        } while (in.accept(","));
      }
      directives.put(directive.text(), List.copyOf(numbers));
    }
  }
}
