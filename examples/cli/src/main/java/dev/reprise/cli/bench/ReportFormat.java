package dev.reprise.cli.bench;

import dev.reprise.cli.measure.MachineFacts;
import dev.reprise.cli.measure.Table;
import dev.reprise.cli.measure.TableFormats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How a report is written. */
public enum ReportFormat {
  /** Markdown, for people: medians to three or four digits. */
  MD {
    @Override
    public String text(BenchReport report) {
      return markdown(report);
    }
  },
  /** Tables in CSV one after another, with all else in comments that begin with #. */
  CSV {
    @Override
    public String text(BenchReport report) {
      return csv(report);
    }
  },
  /** One object; a time that was not measured is null. */
  JSON {
    @Override
    public String text(BenchReport report) {
      return json(report);
    }
  };

  /** The report, with a line end at its end. */
  public abstract String text(BenchReport report);

  /** Its name as a value of an option and as the end of a file name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Formats from a list such as {@code md,json}.
   *
   * @throws IllegalArgumentException naming the flag, the word and what would do
   */
  public static List<ReportFormat> parse(String flag, String text) {
    Set<ReportFormat> formats = new LinkedHashSet<>();
    for (String word : text.split(",", -1)) {
      formats.add(
          Arrays.stream(values())
              .filter(format -> format.label().equals(word.strip()))
              .findFirst()
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "%s must be md, csv or json, or a list of them such as md,json; it is \"%s\""
                          .formatted(flag, text))));
    }
    return List.copyOf(formats);
  }

  private static List<String> facts(BenchReport report) {
    List<String> lines = new ArrayList<>();
    if (report.machine().softwareDevice()) {
      lines.add(MachineFacts.SOFTWARE);
    }
    lines.add("device: " + report.machine().device());
    lines.add("driver: " + report.machine().driver());
    lines.add("host: " + report.machine().host(report.loadBefore(), report.loadAfter()));
    lines.add("model: " + report.model());
    lines.add(
        String.format(
            Locale.ROOT,
            "reprise %s, started %s, took %.1f s",
            report.version(),
            report.started(),
            report.seconds()));
    report.settings().forEach((key, value) -> lines.add(key.replace('_', ' ') + ": " + value));
    return lines.stream().map(line -> line.replaceAll("\\R", " ")).toList();
  }

  private static String markdown(BenchReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("# bench %s: %s".formatted(report.name(), report.machine().device()));
    lines.add("");
    facts(report).forEach(fact -> lines.add("- " + fact));
    if (!report.headlines().isEmpty()) {
      lines.add("");
      report.headlines().forEach(line -> lines.add("- **" + line + "**"));
    }
    for (Table table : report.tables()) {
      lines.add("");
      lines.add(table.title() + (report.machine().softwareDevice() ? " (software GPU):" : ":"));
      lines.add("");
      lines.addAll(TableFormats.markdown(table));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String csv(BenchReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("# bench " + report.name());
    facts(report).forEach(fact -> lines.add("# " + fact));
    for (Table table : report.tables()) {
      lines.add("");
      lines.add("# table " + table.key());
      lines.addAll(TableFormats.csv(table));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String json(BenchReport report) {
    ObjectNode json = JsonMapper.shared().createObjectNode();
    json.put("schema", "reprise-bench-" + report.name() + "/1")
        .put("version", report.version())
        .put("started", report.started().toString());
    TableFormats.put(json, "took_s", report.seconds());
    report.machine().facts().forEach((key, value) -> TableFormats.put(json, key, value));
    TableFormats.put(json, "load_before", report.loadBefore());
    TableFormats.put(json, "load_after", report.loadAfter());
    json.put("model", report.model());
    ObjectNode settings = json.putObject("settings");
    report.settings().forEach((key, value) -> TableFormats.put(settings, key, value));
    ArrayNode headlines = json.putArray("headlines");
    report.headlines().forEach(headlines::add);
    ObjectNode tables = json.putObject("tables");
    report.tables().forEach(table -> TableFormats.json(tables.putArray(table.key()), table));
    return JsonMapper.shared().writeValueAsString(json) + "\n";
  }
}
