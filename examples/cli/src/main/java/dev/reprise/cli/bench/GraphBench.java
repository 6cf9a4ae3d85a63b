package dev.reprise.cli.bench;

import dev.reprise.cli.measure.BucketTimes;
import dev.reprise.cli.measure.KernelChoices;
import dev.reprise.cli.measure.LaunchBench;
import dev.reprise.cli.measure.LaunchCosts;
import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.OpenModel;
import dev.reprise.cli.measure.Progress;
import dev.reprise.cli.measure.StepArm;
import dev.reprise.cli.measure.StepBench;
import dev.reprise.cli.measure.Summary;
import dev.reprise.cli.measure.Table;
import dev.reprise.graph.autotune.AutotuneReport;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeModel;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What graphs of decode steps cost to make, what they save, and what a node costs to launch. */
public final class GraphBench {

  private static final int PASSES = 3;
  private static final int WARM_LAUNCH_ROUNDS = 5;

  /**
   * What is measured.
   *
   * @param driver the value of {@code --driver}
   * @param model a GGUF file; the embedded model if empty
   * @param rows rows of the buckets
   * @param contexts contexts of the buckets
   * @param nodes lengths of the chains, at least three
   * @param rounds rounds of each of the three passes, and three times as many of the chains
   * @param kernels where choices of kernel variants are kept; empty to run the standard ones
   */
  public record Plan(
      Optional<String> driver,
      Optional<Path> model,
      List<Integer> rows,
      List<Integer> contexts,
      List<Integer> nodes,
      int rounds,
      Optional<Path> kernels) {

    /** Checks the numbers. */
    public Plan {
      if (nodes.size() < 3) {
        throw new IllegalArgumentException(
            "--nodes needs three numbers or more for a line, such as 1,50,200; it has "
                + nodes.size());
      }
    }
  }

  private final Plan plan;
  private final Progress progress;
  private LaunchCosts launches = new LaunchCosts(List.of(), Map.of());

  private GraphBench(Plan plan, Progress progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Measures.
   *
   * @param version of Reprise
   * @param clock gives the date
   * @param plot where launch cost against nodes is drawn
   */
  public static BenchReport run(
      Plan plan, String version, Clock clock, Progress progress, Optional<Path> plot) {
    GraphBench bench = new GraphBench(plan, progress);
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("rows", plan.rows.toString());
    settings.put("contexts", plan.contexts.toString());
    settings.put("nodes", plan.nodes.toString());
    settings.put("passes", PASSES);
    settings.put("rounds", plan.rounds);
    BenchReport report =
        BenchRun.run("graph", version, clock, plan.driver, plan.model, settings, bench::measure);
    plot.ifPresent(file -> LaunchPlot.write(bench.launches, report.machine(), file));
    return report;
  }

  private BenchRun.Findings measure(OpenModel model) {
    BucketSet set = BucketSet.of(plan.rows, plan.contexts);
    Optional<AutotuneReport> variants =
        plan.kernels.map(folder -> KernelChoices.warmUp(model, set, folder));
    progress.begin("steps", PASSES * plan.rounds + 2);
    List<BucketTimes> buckets =
        StepBench.run(
            model,
            set,
            EnumSet.of(StepArm.REPLAY_END, StepArm.EAGER_END),
            PASSES,
            round -> round < plan.rounds,
            progress);
    int rounds = PASSES * plan.rounds;
    progress.begin("launches", rounds);
    launches =
        LaunchBench.run(
            model.device(),
            plan.nodes,
            round -> round < WARM_LAUNCH_ROUNDS,
            round -> round < rounds,
            progress);
    List<String> headlines = new ArrayList<>();
    for (BucketTimes bucket : buckets) {
      headlines.add(
          "bucket %s, %d nodes: replay %s µs, eager %s µs"
              .formatted(
                  bucket.bucket(),
                  bucket.nodes(),
                  Numbers.text(bucket.steps(StepArm.REPLAY_END)),
                  Numbers.text(bucket.steps(StepArm.EAGER_END))));
    }
    launches
        .lines()
        .forEach((name, line) ->
            headlines.add(
                "%s: %s µs + %s ± %s µs a node"
                    .formatted(
                        name,
                        Numbers.text(line.intercept()),
                        Numbers.text(line.slope()),
                        Numbers.text(line.slopeError()))));
    List<Table> tables = new ArrayList<>();
    tables.add(making(buckets, model.model()));
    tables.add(steps(buckets));
    tables.add(launches.chainTable());
    tables.add(launches.lineTable());
    variants.ifPresent(report -> {
      headlines.addAll(KernelChoices.headlines(report));
      tables.add(KernelChoices.table(report));
    });
    return new BenchRun.Findings(headlines, tables);
  }

  private static Table making(List<BucketTimes> buckets, DecodeModel model) {
    Table table =
        new Table(
            "graphs",
            "Making a graph: medians of the passes, each of which captures anew; break-even: tokens"
                + " of full rows after which it has paid",
            Table.column("rows", "rows"),
            Table.column("context", "context"),
            Table.column("splits", "splits"),
            Table.column("nodes", "nodes"),
            Table.column("capture_us", "capture, µs"),
            Table.column("instantiate_us", "instantiate, µs"),
            Table.column("upload_us", "upload, µs"),
            Table.column("first_replay_us", "first replay, µs"),
            Table.column("device_bytes", "device bytes"),
            Table.column("break_even_tokens", "break-even, tokens"));
    for (BucketTimes times : buckets) {
      OptionalLong tokens = times.breakEvenTokens(StepArm.REPLAY_END, StepArm.EAGER_END);
      table.add(
          times.bucket().rows(),
          times.bucket().context(),
          model.attentionSplits(times.bucket()),
          times.nodes(),
          times.capture().median(),
          times.instantiate().median(),
          times.upload().median(),
          times.firstReplay().median(),
          times.deviceBytes(),
          tokens.isPresent() ? (Object) tokens.getAsLong() : (Object) Double.NaN);
    }
    return table;
  }

  private static Table steps(List<BucketTimes> buckets) {
    Table table =
        new Table(
            "steps",
            "Steps at the end of the context, all rows live, from the launch to the completion;"
                + " median with 95% interval",
            Table.column("rows", "rows"),
            Table.column("context", "context"),
            Table.column("mode", "mode"),
            Table.column("steps", "steps"),
            Table.column("median_us", "median, µs"),
            Table.column("low_us", "["),
            Table.column("high_us", "]"),
            Table.column("p90_us", "p90, µs"),
            Table.column("p99_us", "p99, µs"));
    for (BucketTimes times : buckets) {
      step(table, times, "replayed", times.steps(StepArm.REPLAY_END));
      step(table, times, "eager", times.steps(StepArm.EAGER_END));
    }
    return table;
  }

  private static void step(Table table, BucketTimes times, String mode, Summary summary) {
    table.add(
        times.bucket().rows(),
        times.bucket().context(),
        mode,
        summary.count(),
        summary.median(),
        summary.low(),
        summary.high(),
        summary.p90(),
        summary.p99());
  }
}
