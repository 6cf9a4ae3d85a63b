package dev.reprise.cli.gpucheck;

import dev.reprise.cli.doctor.DiagnosisText;
import dev.reprise.cli.measure.Table;
import dev.reprise.cli.measure.TableFormats;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A report as Markdown, for people, and its summary for a terminal. */
final class CheckMarkdown {

  /** Said wherever times of a software device are shown. */
  static final String SOFTWARE = "times of a software GPU on this CPU, not of a GPU";

  private CheckMarkdown() {}

  /** One line a section with its results in short, then the verdict. */
  static List<String> summary(CheckReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("device    " + report.device());
    lines.add("driver    " + report.driver());
    if (report.softwareDevice()) {
      lines.add("note      " + SOFTWARE);
    }
    for (SectionReport section : report.sections()) {
      lines.add(String.format(Locale.ROOT, "%-9s %s", section.key(), outcome(section)));
      String mark = section.timed() && report.softwareDevice() ? " (software GPU)" : "";
      section.headlines().forEach(line -> lines.add("          " + line + mark));
      section.checks().stream()
          .filter(check -> !check.passed())
          .limit(5)
          .forEach(check -> lines.add("          FAILED " + check.name() + ": " + check.detail()));
      if (section.error() != null) {
        lines.add("          ERROR " + section.error());
      }
    }
    lines.add(report.passed() ? "All checks passed." : "Not all checks passed.");
    return lines;
  }

  private static String outcome(SectionReport section) {
    int count = section.checks().size();
    String checks =
        count == 0 ? "" : ", %d of %d checks".formatted(count - section.failures(), count);
    return String.format(
        Locale.ROOT, "%s%s, %.1f s", section.status().text(), checks, section.seconds());
  }

  static String text(CheckReport report) {
    StringBuilder out = new StringBuilder();
    line(out, "# GPU check: " + report.device());
    line(out, "");
    line(
        out,
        "%s on %s with Reprise %s, started %s%s."
            .formatted(
                report.passed() ? "**All checks passed**" : "**Not all checks passed**",
                report.driver(),
                report.version(),
                report.started(),
                report.plan().quick() ? ", quick" : ""));
    if (report.softwareDevice()) {
      line(out, "");
      line(out, "**All times below are " + SOFTWARE + ".**");
    }
    line(out, "");
    line(out, "```");
    summary(report).forEach(text -> line(out, text));
    line(out, "```");
    line(out, "");
    line(out, "## Doctor");
    line(out, "");
    line(out, "```");
    DiagnosisText.lines(report.diagnosis(), false).forEach(text -> line(out, text));
    line(out, "```");
    report.sections().forEach(section -> section(out, section, report.softwareDevice()));
    return out.toString();
  }

  private static void section(StringBuilder out, SectionReport section, boolean software) {
    line(out, "");
    line(out, "## " + section.title());
    line(out, "");
    line(out, outcome(section) + (section.timed() && software ? "; " + SOFTWARE : "") + ".");
    if (section.error() != null) {
      line(out, "");
      line(out, "Error: " + TableFormats.markdownCell(section.error()));
    }
    if (!section.facts().isEmpty()) {
      line(out, "");
      section
          .facts()
          .forEach(fact ->
              line(out, "- " + fact.title() + ": " + TableFormats.markdownCell(fact.value())));
    }
    for (Table table : section.tables()) {
      line(out, "");
      line(out, table.title() + (section.timed() && software ? " (software GPU)" : "") + ":");
      line(out, "");
      TableFormats.markdown(table).forEach(row -> line(out, row));
    }
    List<SectionReport.Check> failed =
        section.checks().stream().filter(check -> !check.passed()).toList();
    if (!failed.isEmpty()) {
      line(out, "");
      failed.forEach(check -> line(out, "- FAILED " + check.name() + ": " + check.detail()));
    }
  }

  private static void line(StringBuilder out, String text) {
    out.append(text).append('\n');
  }
}
