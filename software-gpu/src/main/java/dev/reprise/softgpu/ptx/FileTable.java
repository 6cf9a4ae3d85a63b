package dev.reprise.softgpu.ptx;

import java.util.HashMap;
import java.util.Map;

/** Source files that {@code .file} directives name. */
final class FileTable {
  private final Map<Integer, String> names = new HashMap<>();

  /** {@code .file 1 "kernel.cu"}; sizes and dates may follow. */
  void directive(TokenStream in) {
    int line = in.next().line();
    int number = (int) in.expectInteger("the number of a file");
    if (in.peek().kind() != Token.Kind.STRING) {
      throw in.expected("the name of a file in quotes");
    }
    names.put(number, in.next().text());
    in.skipLine(line);
  }

  Map<Integer, String> names() {
    return Map.copyOf(names);
  }
}
