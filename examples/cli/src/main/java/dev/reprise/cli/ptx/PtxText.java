package dev.reprise.cli.ptx;

import dev.reprise.cli.text.Nearest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PTX as text. */
public final class PtxText {
  private static final Pattern ENTRY = Pattern.compile("\\.entry\\s+([\\w$%]+)");

  /** A variable of the module, not the modifier of an instruction, which follows a letter. */
  private static final Pattern GLOBAL = Pattern.compile("(?<![\\w.])\\.global\\b");

  private PtxText() {}

  /**
   * Reads a file.
   *
   * @throws BadCaseException if there is none, or it holds no text
   */
  public static String read(Path file) {
    if (!Files.exists(file)) {
      throw new BadCaseException(file + ": there is no such file");
    }
    if (!Files.isRegularFile(file)) {
      throw new BadCaseException(file + ": this is not a file");
    }
    try {
      return check(file.toString(), new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new BadCaseException(file + " cannot be read: " + e, e);
    }
  }

  /** The text without NUL characters at its end; one inside would end it early. */
  static String check(String what, String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == 0) {
      end--;
    }
    int nul = text.indexOf(0);
    if (nul >= 0 && nul < end) {
      throw new BadCaseException(
          what + " is not PTX text: it has a NUL character, the first at offset " + nul);
    }
    return text.substring(0, end);
  }

  /** Whether launches may leave something behind in variables of the module. */
  static boolean keepsState(String ptx) {
    return GLOBAL.matcher(ptx).find();
  }

  /** That there is no such kernel, and which there are. */
  static BadCaseException unknown(String ptx, String kernel) {
    List<String> known = new ArrayList<>();
    Matcher entries = ENTRY.matcher(ptx);
    while (entries.find()) {
      known.add(entries.group(1));
    }
    Optional<String> near = Nearest.to(kernel, known);
    String are =
        known.isEmpty()
            ? "; the PTX has no kernel"
            : "; the PTX has "
                + String.join(", ", known.subList(0, Math.min(10, known.size())))
                + (known.size() > 10 ? " and " + (known.size() - 10) + " more" : "");
    return new BadCaseException(
        "there is no kernel \""
            + kernel
            + "\""
            + near.map(n -> ", did you mean " + n + "?").orElse("")
            + are);
  }
}
