package dev.reprise.cli.tune;

import dev.reprise.cli.measure.MachineFacts;
import dev.reprise.cli.text.TextTable;
import dev.reprise.graph.tune.CostFile;
import dev.reprise.graph.tune.CostTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measured costs for people. */
public final class CostText {

  private CostText() {}

  /** Lines without line ends. */
  public static List<String> lines(CostFile costs) {
    List<String> lines = new ArrayList<>();
    if (costs.softwareDevice()) {
      lines.add(MachineFacts.SOFTWARE);
    }
    lines.add("device    " + costs.device());
    lines.add("driver    " + costs.driver());
    lines.add("model     " + costs.model());
    lines.add("method    " + costs.method());
    lines.add("");
    TextTable table =
        new TextTable("rows", "context", "replay us", "live us", "eager us", "capture ms", "bytes");
    for (CostTable.Sample sample : costs.table().samples()) {
      table.add(
          Integer.toString(sample.rows()),
          Integer.toString(sample.context()),
          format("%.1f", sample.replayMicros()),
          format("%.1f", sample.liveMicros()),
          format("%.1f", sample.eagerMicros()),
          format("%.2f", sample.captureMillis()),
          format("%,d", sample.bytes()));
    }
    lines.addAll(table.lines());
    return lines;
  }

  private static String format(String format, Object value) {
    return String.format(Locale.ROOT, format, value);
  }
}
