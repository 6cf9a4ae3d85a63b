package dev.reprise.cli.tune;

import dev.reprise.cli.text.ByteSize;
import dev.reprise.cli.text.TextTable;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.tune.BucketEvaluation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A tuning for people. */
final class TuneText {

  private TuneText() {}

  static List<String> lines(TuneReport report) {
    List<String> lines = new ArrayList<>();
    StepSource workload = report.workload();
    lines.add("workload  " + workload.source());
    lines.add(
        format(
            "          %,d steps, up to %d rows and %d positions",
            workload.steps().steps(), workload.steps().maxRows(), workload.steps().maxPositions()));
    if (workload.cutRequests() > 0) {
      lines.add(
          format(
              "          %,d requests wanted more than %d positions and ended there",
              workload.cutRequests(), workload.maxContext()));
    }
    lines.addAll(costs(report.costs()));
    lines.add(format("tuned in  %.2f s", report.tuneSeconds()));
    lines.add("");
    lines.addAll(table(report));
    lines.add("");
    lines.add("buckets (rows: contexts; those in brackets run eagerly)");
    lines.addAll(buckets(report));
    report
        .explanation()
        .ifPresent(found -> {
          lines.add("");
          lines.addAll(explanation(found, report));
        });
    return lines;
  }

  private static List<String> costs(CostSource costs) {
    List<String> lines = new ArrayList<>();
    String kind = costs.facts().measured() ? "measured" : "ASSUMED, not measured";
    lines.add(
        format(
            "costs     %s: %s, %s on %s",
            kind, costs.facts().source(), costs.facts().model(), costs.facts().device()));
    if (costs.softwareDevice()) {
      lines.add("          measured on a software GPU: they say nothing about a GPU");
    }
    return lines;
  }

  private static List<String> table(TuneReport report) {
    TextTable table =
        new TextTable("set", "graphs", "step us", "padding", "eager", "capture ms", "bytes");
    row(table, "tuned", report.tuned());
    for (TuneReport.Comparison comparison : report.comparisons()) {
      row(table, comparison.name(), comparison.theirs());
      row(table, "  tuned, as many graphs", comparison.ours());
    }
    return table.lines();
  }

  private static void row(TextTable table, String name, BucketEvaluation evaluation) {
    table.add(
        name,
        Integer.toString(evaluation.graphs()),
        format("%.1f", evaluation.meanStepMicros()),
        percent(evaluation.paddingShare()),
        percent(eagerShare(evaluation)),
        format("%.1f", evaluation.captureMillis()),
        ByteSize.text(evaluation.bytes()));
  }

  /** Share of steps that run by plain launches, 0 to 1. */
  static double eagerShare(BucketEvaluation evaluation) {
    return evaluation.steps() == 0 ? 0 : (double) evaluation.eagerSteps() / evaluation.steps();
  }

  private static List<String> buckets(TuneReport report) {
    TreeMap<Integer, TreeMap<Integer, String>> bands = new TreeMap<>();
    for (Bucket bucket : report.set().largestFirst()) {
      bands
          .computeIfAbsent(bucket.rows(), rows -> new TreeMap<>())
          .put(bucket.context(), Integer.toString(bucket.context()));
    }
    for (Bucket bucket : report.set().eager()) {
      bands
          .computeIfAbsent(bucket.rows(), rows -> new TreeMap<>())
          .put(bucket.context(), "(" + bucket.context() + ")");
    }
    return bands.entrySet().stream()
        .map(band -> format("%6d: %s", band.getKey(), String.join(" ", band.getValue().values())))
        .toList();
  }

  private static List<String> explanation(Explanation found, TuneReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("bucket " + found.bucket() + " is " + verdict(found, report));
    String takes = found.state() == Explanation.State.REPLAYED ? "takes" : "would take";
    lines.add(
        format(
            "  steps       it %s %,d of %,d; %s of its rows are padding",
            takes,
            found.steps(),
            report.workload().steps().steps(),
            percent(found.paddingShare())));
    double steps = report.workload().steps().steps();
    lines.add(format("  with it     a step takes %.3f us", found.withMicros() / steps));
    lines.add(format("  without it  a step takes %.3f us", found.withoutMicros() / steps));
    lines.add(
        "  without it its steps run "
            + (found.elsewhere().isEmpty()
                ? "nowhere else, as there are none"
                : found.elsewhere().stream()
                    .map(TuneText::elsewhere)
                    .collect(Collectors.joining(", "))));
    lines.add(
        found.breakEvenSteps().isPresent()
            ? format(
                "  capturing   takes %.2f ms and pays after %,d of its steps",
                found.captureMillis(), found.breakEvenSteps().getAsLong())
            : format(
                "  capturing   takes %.2f ms and never pays: it saves nothing",
                found.captureMillis()));
    return lines;
  }

  private static String verdict(Explanation found, TuneReport report) {
    boolean saves = found.withMicros() < found.withoutMicros();
    return switch (found.state()) {
      case REPLAYED -> "in: it is replayed";
      case EAGER ->
          "in as eager: "
              + (saves
                  ? "replaying it would save time, but the limits are better spent on others"
                  : "plain launches are as fast for its steps");
      case ABSENT ->
          found.steps() == 0
              ? "out: no step of the workload would use it"
              : !saves
                  ? "out: with it the steps would take no less"
                  : report.tuned().graphs() < report.limits().graphs()
                      ? "out: it would save time by itself, but a limit or a better cut of the"
                          + " steps leaves it out"
                      : "out: it would save time, but the %d graphs allowed are better spent"
                          .formatted(report.limits().graphs());
    };
  }

  private static String elsewhere(Explanation.Elsewhere other) {
    return format("%s (%,d)", other.bucket().map(b -> "in " + b).orElse("eagerly"), other.steps());
  }

  private static String percent(double share) {
    return format("%.1f%%", 100 * share);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
