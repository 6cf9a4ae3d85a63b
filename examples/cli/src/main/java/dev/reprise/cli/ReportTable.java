package dev.reprise.cli;

import dev.reprise.cli.text.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The short table that closes a generation, for people. */
final class ReportTable {
  private ReportTable() {}

  /** Lines without line ends. */
  static List<String> lines(GenerateReport report) {
    GenerateReport.Output output = report.output();
    GenerateReport.Timing timing = report.timing();
    GenerateReport.Graphs graphs = report.graphs();
    List<String> lines = new ArrayList<>();
    lines.add(
        line(
            "model",
            "%s, %s parameters",
            report.model().name(),
            count(report.model().parameters())));
    lines.add(line("device", "%s", report.device()));
    lines.add(
        line(
            "tokens",
            "%d of the prompt, %d generated; %s",
            output.promptTokens(),
            output.tokens().size(),
            ending(output.finish())));
    lines.add(
        line(
            "prefill",
            "%s; first token after %s",
            rate(report.prefillTokensPerSecond()),
            millis(timing.ttftMillis())));
    lines.add(
        line(
            "decode",
            "%s; %d steps in %s, captures apart",
            rate(timing.decodeTokensPerSecond()),
            timing.decodeSteps(),
            millis(1000 * (timing.decodeSeconds() - timing.captureSeconds()))));
    lines.add(
        line(
            "steps",
            "%d prefill, %d eager, %d replayed",
            graphs.prefillSteps(),
            graphs.eagerSteps(),
            graphs.replays()));
    lines.add(line("graphs", "%s", graphs(graphs)));
    report
        .variants()
        .ifPresent(v ->
            lines.add(
                line(
                    "kernels",
                    "%d shapes: %d choices kept, %d measured; %d run another than the standard%s",
                    v.shapes(),
                    v.kept(),
                    v.measured(),
                    v.changed(),
                    v.problem().isEmpty() ? "" : "; " + v.problem())));
    lines.add(line("KV cache", "%s", ByteSize.text(report.kvBytes())));
    lines.add(line("seed", "%d", report.seed()));
    if (report.softwareDevice()) {
      lines.add(line("note", "the times are those of a software GPU on this CPU, not of a GPU"));
    }
    return List.copyOf(lines);
  }

  private static String graphs(GenerateReport.Graphs graphs) {
    if (graphs.captured() == 0) {
      return "none captured";
    }
    return String.format(
        Locale.ROOT,
        "%d captured: capture %s, instantiate %s, upload %s; %s on the device",
        graphs.captured(),
        millis(graphs.captureMillis()),
        millis(graphs.instantiateMillis()),
        millis(graphs.uploadMillis()),
        ByteSize.text(graphs.bytes()));
  }

  private static String ending(GenerateReport.Finish finish) {
    return switch (finish) {
      case STOP -> "the model ended the text";
      case LENGTH -> "stopped at the limit";
      case CANCELLED -> "cancelled";
    };
  }

  private static String line(String name, String format, Object... arguments) {
    return String.format(Locale.ROOT, "%-10s", name)
        + String.format(Locale.ROOT, format, arguments);
  }

  private static String rate(double tokensPerSecond) {
    return Double.isNaN(tokensPerSecond)
        ? "no rate"
        : String.format(
            Locale.ROOT,
            tokensPerSecond < 100 ? "%.1f tokens/s" : "%,.0f tokens/s",
            tokensPerSecond);
  }

  private static String millis(double value) {
    return value < 1000
        ? String.format(Locale.ROOT, value < 10 ? "%.2f ms" : "%.0f ms", value)
        : String.format(Locale.ROOT, "%.2f s", value / 1000);
  }

  private static String count(long value) {
    if (value < 10_000) {
      return Long.toString(value);
    }
    return value < 1_000_000_000
        ? String.format(Locale.ROOT, "%.2f million", value / 1e6)
        : String.format(Locale.ROOT, "%.2f billion", value / 1e9);
  }
}
