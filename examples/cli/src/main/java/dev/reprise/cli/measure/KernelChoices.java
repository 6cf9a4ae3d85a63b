package dev.reprise.cli.measure;

import dev.reprise.graph.autotune.AutotuneOptions;
import dev.reprise.graph.autotune.AutotuneReport;
import dev.reprise.graph.autotune.AutotuneReport.Outcome;
import dev.reprise.graph.autotune.AutotuneReport.Source;
import dev.reprise.graph.autotune.Autotuner;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Kernel variants chosen before a measurement, and what is said of them. */
public final class KernelChoices {

  private KernelChoices() {}

  /** Chooses the variants for the steps of some buckets, as a server would at its start. */
  public static AutotuneReport warmUp(OpenModel model, BucketSet buckets, Path folder) {
    return warmUp(model, new DecodeOptions(buckets, 1, 2, false), folder);
  }

  /** The same for all steps of a host, those over prompts too. */
  public static AutotuneReport warmUp(OpenModel model, DecodeOptions decode, Path folder) {
    return Autotuner.warmUp(model.model(), decode, AutotuneOptions.cachedIn(folder));
  }

  /** In short: a line on the choices and, where something is wrong with the file, one on that. */
  public static List<String> headlines(AutotuneReport report) {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "kernel variants: %d shapes, %d kept, %d measured, %d left at the standard; %d run"
                + " another than the standard; %.1f s",
            report.outcomes().size(),
            report.count(Source.KEPT),
            report.count(Source.MEASURED),
            report.count(Source.TIME_WAS_UP) + report.count(Source.NOT_TRIED),
            report.changed(),
            report.nanos() / 1e9));
    if (!report.problem().isEmpty()) {
      lines.add("kept variants: " + report.problem());
    }
    return lines;
  }

  /** Each shape with its choice. */
  public static Table table(AutotuneReport report) {
    Table table =
        new Table(
            "variants",
            "Kernel variants, all of which give the same bits; medians of the warm-up, one launch"
                + " after the other on operands that may stay in a cache",
            Table.column("operation", "operation"),
            Table.column("dtype", "dtype"),
            Table.column("shape", "shape"),
            Table.column("standard", "standard"),
            Table.column("standard_us", "standard, µs"),
            Table.column("variant", "variant"),
            Table.column("us", "µs"),
            Table.column("source", "source"));
    for (Outcome outcome : report.outcomes()) {
      table.add(
          outcome.shape().operation(),
          outcome.shape().dtype(),
          outcome.shape().sizes(),
          outcome.standard().text(),
          micros(outcome.standardMicros()),
          outcome.variant().text(),
          micros(outcome.micros()),
          outcome.source().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }
    return table;
  }

  private static double micros(double value) {
    return value == 0 ? Double.NaN : value;
  }
}
