package dev.reprise.cli;

import dev.reprise.cli.bench.BenchReport;
import dev.reprise.cli.bench.ReportFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Where the report of a benchmark goes. */
final class ReportOptions {

  @Option(
      names = "--format",
      paramLabel = "LIST",
      defaultValue = "md",
      description = "md, csv or json, or several: md,json (default: ${DEFAULT-VALUE}).")
  private String format = "";

  @Option(
      names = "--out",
      paramLabel = "BASE",
      description =
          "Write each format to a file, BASE.md and so on, instead of to standard output.")
  private @Nullable Path out;

  @Option(names = Main.VERBOSE, description = "Log details, and a stack trace when the run fails.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  /** Checks format and target. */
  void check() {
    for (ReportFormat each : formats()) {
      if (out != null) {
        OutputFiles.checkTarget("--out", file(out, each));
      }
    }
  }

  private List<ReportFormat> formats() {
    return ReportFormat.parse("--format", format);
  }

  private static Path file(Path base, ReportFormat format) {
    return Path.of(base + "." + format.label());
  }

  /** Writes a report. */
  void write(BenchReport report, CommandLine line) {
    PrintWriter writer = line.getOut();
    boolean first = true;
    for (ReportFormat each : formats()) {
      if (out != null) {
        Path file = file(out, each);
        try {
          Files.writeString(file, each.text(report));
        } catch (IOException e) {
          throw new UncheckedIOException("cannot write " + file + ": " + e, e);
        }
        writer.println("The report is in " + file + ".");
      } else {
        if (!first) {
          writer.println();
        }
        writer.print(each.text(report));
      }
      first = false;
    }
    if (writer.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
  }
}
