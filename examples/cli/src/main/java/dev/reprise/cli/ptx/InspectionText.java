package dev.reprise.cli.ptx;

import dev.reprise.cli.text.TextTable;
import dev.reprise.softgpu.inspect.PtxInspection;
import dev.reprise.softgpu.inspect.PtxKernel;
import dev.reprise.softgpu.inspect.PtxProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a PTX text uses, for people. */
public final class InspectionText {
  private static final int WIDTH = 96;

  private InspectionText() {}

  /** The lines; problems come last. */
  public static List<String> lines(String file, PtxInspection found) {
    List<String> lines = new ArrayList<>();
    if (!found.version().isEmpty()) {
      lines.add(file + ": PTX " + found.version() + " for " + found.target());
      if (!found.kernels().isEmpty()) {
        lines.add("");
        lines.addAll(kernels(found.kernels()));
      }
      if (!found.functions().isEmpty()) {
        lines.add("");
        lines.addAll(wrapped("functions: ", found.functions()));
      }
      Map<String, Integer> opcodes = new TreeMap<>();
      found
          .instructions()
          .forEach((form, count) -> opcodes.merge(form.split("\\.", 2)[0], count, Integer::sum));
      lines.add("");
      lines.addAll(
          wrapped(
              "opcodes: ",
              opcodes.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList()));
      lines.add("");
    }
    if (found.loads()) {
      lines.add("It loads.");
    } else {
      lines.add(found.version().isEmpty() ? file + " does not load:" : "It does not load:");
      for (PtxProblem problem : found.problems()) {
        lines.add("  " + problem.message());
      }
    }
    return lines;
  }

  private static List<String> kernels(List<PtxKernel> kernels) {
    TextTable table =
        new TextTable("kernel", "instructions", "shared", "local", "registers", "threads");
    List<String> signatures = new ArrayList<>();
    for (PtxKernel kernel : kernels) {
      PtxKernel.Resources needs = kernel.resources();
      table.add(
          kernel.name(),
          Integer.toString(kernel.instructions()),
          Integer.toString(needs.sharedBytes()),
          Integer.toString(needs.localBytes()),
          Integer.toString(needs.registers()),
          Integer.toString(needs.maxThreads()));
      signatures.addAll(
          wrapped(
              kernel.name() + ": ",
              kernel.parameters().isEmpty()
                  ? List.of("no parameters")
                  : kernel.parameters().stream()
                      .map(p -> p.type() + " " + p.name() + " (" + p.bytes() + ")")
                      .toList()));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.add("parameters (bytes)");
    signatures.forEach(line -> lines.add("  " + line));
    return lines;
  }

  /** The words after the heading, on as many lines as they need. */
  private static List<String> wrapped(String heading, List<String> words) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(heading);
    for (int k = 0; k < words.size(); k++) {
      String word = words.get(k) + (k + 1 < words.size() ? ", " : "");
      if (line.length() + word.length() > WIDTH && line.length() > heading.length()) {
        lines.add(line.toString().stripTrailing());
        line = new StringBuilder("  ");
      }
      line.append(word);
    }
    lines.add(line.toString().stripTrailing());
    return lines;
  }
}
