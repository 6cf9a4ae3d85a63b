package dev.reprise.cli;

import dev.reprise.cli.measure.KernelChoices;
import dev.reprise.cli.measure.MachineFacts;
import dev.reprise.cli.measure.StepBench;
import dev.reprise.cli.text.ByteSize;
import dev.reprise.cli.text.Nearest;
import dev.reprise.cli.tune.CostMeasurement;
import dev.reprise.cli.tune.CostText;
import dev.reprise.cli.tune.TuneOptions;
import dev.reprise.cli.tune.Tuning;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.tune.CostFile;
import dev.reprise.graph.tune.CostTable;
import dev.reprise.graph.tune.SyntheticWorkload;
import dev.reprise.graph.tune.TunerLimits;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code reprise tune}: finds the buckets with the least step time for a workload. */
@Command(
    name = "tune",
    description =
        "Finds the buckets with the least step time for a workload, and compares them with the"
            + " lists that other systems capture.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise tune --workload bursty",
      "  reprise tune --measure costs.json",
      "  reprise tune --trace requests.jsonl --costs costs.json --out buckets.json",
      "  reprise tune --workload long-tail --max-graphs 16 --explain 8x2048 --plot plot.svg",
      "",
      "A trace holds a request a line, {\"at_ms\":0,\"prompt\":120,\"output\":64}, or steps,",
      "{\"rows\":8,\"positions\":1030,\"steps\":12}. Lists of other systems are given the",
      "longest context, as they capture one.",
      "Exit codes: 0 done, 1 the run failed, 2 bad usage."
    })
final class TuneCommand implements Callable<Integer> {

  private static final String ASSUMED = "assume:h200:llama-3.1-8b";
  private static final int MOST_ROUNDS = 10_000;
  private static final Pattern BUCKET = Pattern.compile("([0-9]{1,9})x([0-9]{1,9})");

  private final Clock clock;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "JSON lines of requests or of recorded steps.")
  private @Nullable Path trace;

  @Option(
      names = "--workload",
      paramLabel = "KIND",
      description = "Made up instead: steady, bursty, long-tail or ramp.")
  private @Nullable String workload;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Requests of a workload (default: ${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "20",
      description = "Requests a second of a workload (default: ${DEFAULT-VALUE}).")
  private double rate;

  @Option(
      names = "--prompt",
      paramLabel = "N",
      defaultValue = "512",
      description = "Mean tokens of a prompt of a workload (default: ${DEFAULT-VALUE}).")
  private int prompt;

  @Option(
      names = "--output",
      paramLabel = "N",
      defaultValue = "200",
      description = "Mean tokens of an output of a workload (default: ${DEFAULT-VALUE}).")
  private int output;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of a workload (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--prefill-us",
      paramLabel = "US",
      defaultValue = "20",
      description =
          "Microseconds that decoding stands still for each prompt token (default:"
              + " ${DEFAULT-VALUE}).")
  private double prefillMicros;

  @Option(
      names = "--costs",
      paramLabel = "COSTS",
      description =
          "A cost file, or assume:DEVICE:MODEL for published peaks, which are no measurement"
              + " (default: "
              + ASSUMED
              + ").")
  private @Nullable String costs;

  @Option(
      names = "--measure",
      paramLabel = "FILE",
      arity = "0..1",
      fallbackValue = "costs.json",
      description =
          "Measure costs on device 0 and write them to a cost file (default: ${FALLBACK-VALUE});"
              + " with steps, tune with them at once.")
  private @Nullable Path measure;

  @Option(
      names = "--measure-rows",
      paramLabel = "LIST",
      defaultValue = "1-8*2",
      description = "Row counts to measure, a list or range (default: ${DEFAULT-VALUE}).")
  private String measureRows = "";

  @Option(
      names = "--measure-contexts",
      paramLabel = "LIST",
      description =
          "Contexts to measure (default: a sixteenth, a quarter and all of what the model has).")
  private @Nullable String measureContexts;

  @Option(
      names = "--measure-rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Rounds of each of three passes (default: ${DEFAULT-VALUE}).")
  private int measureRounds;

  @Mixin private final MeasureOptions measureOptions = new MeasureOptions();
  @Mixin private final KernelOptions kernels = new KernelOptions();

  @Option(
      names = "--max-graphs",
      paramLabel = "N",
      defaultValue = "24",
      description = "The most graphs (default: ${DEFAULT-VALUE}).")
  private int maxGraphs;

  @Option(
      names = "--max-bytes",
      paramLabel = "SIZE",
      description = "The most device memory of all graphs, such as 64MiB (default: no limit).")
  private @Nullable String maxBytes;

  @Option(
      names = "--max-rows",
      paramLabel = "N",
      description = "The most rows of a step (default: 256, or what recorded steps have).")
  private @Nullable Integer maxRows;

  @Option(
      names = "--max-context",
      paramLabel = "N",
      description = "The longest context (default: 8192, or what recorded steps have).")
  private @Nullable Integer maxContext;

  @Option(
      names = "--context-step",
      paramLabel = "N",
      defaultValue = "16",
      description = "Contexts are multiples of this (default: ${DEFAULT-VALUE}).")
  private int contextStep;

  @Option(
      names = "--capture-weight",
      paramLabel = "W",
      defaultValue = "0",
      description =
          "How much of the time to capture counts: 0 for a server that lives long, 1 for one that"
              + " serves the workload once (default: ${DEFAULT-VALUE}).")
  private double captureWeight;

  @Option(names = "--out", paramLabel = "FILE", description = "Write the buckets there as JSON.")
  private @Nullable Path out;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw step time against graphs; the name ends in .svg or .png.")
  private @Nullable Path plot;

  @Option(
      names = "--explain",
      paramLabel = "ROWSxCONTEXT",
      description = "Say why a bucket is in or out, such as 8x1024.")
  private @Nullable String explain;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Option(names = Main.VERBOSE, description = "Log details, and a stack trace when the run fails.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  /**
   * @param clock gives the date in a bucket file
   */
  TuneCommand(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    Optional<CostMeasurement.Plan> plan;
    Optional<TuneOptions> options;
    try {
      plan = plan();
      options = options();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
    Optional<CostFile> costs = plan.map(found -> measure(found, line));
    options
        .map(found -> costs.map(c -> within(found, c)).orElse(found))
        .ifPresent(found -> tune(found, line));
    if (line.getOut().checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
    return CommandLine.ExitCode.OK;
  }

  private CostFile measure(CostMeasurement.Plan plan, CommandLine line) {
    CostMeasurement.Measured found =
        CostMeasurement.run(plan, tool(), MeasureOptions.progress(line));
    CostFile costs = found.costs();
    costs.write(measured());
    if (costs.softwareDevice()) {
      line.getErr()
          .println(line.getCommandSpec().qualifiedName(" ") + ": " + MachineFacts.SOFTWARE);
      line.getErr().flush();
    }
    PrintWriter writer = line.getOut();
    if (!json) {
      CostText.lines(costs).forEach(writer::println);
      writer.println();
      found
          .variants()
          .ifPresent(report -> {
            KernelChoices.headlines(report).forEach(writer::println);
            writer.println();
          });
      writer.println("The costs are in " + measured() + ".");
      if (tunes()) {
        writer.println();
      }
    } else if (!tunes()) {
      writer.print(costs.json());
    }
    return costs;
  }

  /** A workload that is made up ends at the longest context that was measured. */
  private static TuneOptions within(TuneOptions options, CostFile costs) {
    if (options.maxContext().isPresent()
        || !(options.workload() instanceof TuneOptions.Synthetic)) {
      return options;
    }
    int longest =
        costs.table().samples().stream().mapToInt(CostTable.Sample::context).max().orElseThrow();
    return new TuneOptions(
        options.workload(),
        options.costs(),
        options.limits(),
        options.maxRows(),
        OptionalInt.of(longest),
        options.explain());
  }

  private void tune(TuneOptions options, CommandLine line) {
    Tuning tuning = Tuning.run(options);
    if (out != null) {
      tuning.write(out, tool(), clock.instant().truncatedTo(ChronoUnit.SECONDS));
    }
    if (plot != null) {
      tuning.plot(plot);
    }
    PrintWriter writer = line.getOut();
    if (json) {
      writer.println(tuning.json());
    } else {
      tuning.lines().forEach(writer::println);
      if (out != null) {
        writer.println();
        writer.println("The buckets are in " + out + ".");
      }
    }
  }

  private static String tool() {
    return "reprise tune " + Main.version();
  }

  private Path measured() {
    return Objects.requireNonNull(measure);
  }

  /** Whether there are steps to tune for. */
  private boolean tunes() {
    return trace != null || workload != null;
  }

  private Optional<CostMeasurement.Plan> plan() {
    if (measure == null) {
      if (measureOptions.given()) {
        throw new IllegalArgumentException(
            "--driver and --model choose what is measured; add --measure, or leave them out");
      }
      if (kernels.folder().isPresent()) {
        throw new IllegalArgumentException(
            "--kernels chooses variants before costs are measured; add --measure, or leave it out");
      }
      return Optional.empty();
    }
    measureOptions.check();
    kernels.check();
    if (costs != null) {
      throw new IllegalArgumentException("--measure and --costs exclude each other; keep one");
    }
    OutputFiles.checkTarget("--measure", measure);
    return Optional.of(
        new CostMeasurement.Plan(
            measureOptions.driver(),
            measureOptions.model(),
            MeasureOptions.rows("--measure-rows", measureRows),
            measureContexts == null
                ? List.of()
                : MeasureOptions.positions(
                    "--measure-contexts", measureContexts, StepBench.LEAST_CONTEXT),
            MeasureOptions.within("--measure-rounds", measureRounds, MOST_ROUNDS),
            kernels.folder()));
  }

  private Optional<TuneOptions> options() {
    if (measure != null && !tunes()) {
      if (out != null || plot != null || explain != null) {
        throw new IllegalArgumentException(
            "--out, --plot and --explain need steps; give --trace or --workload too");
      }
      return Optional.empty();
    }
    OutputFiles.checkTarget("--out", out);
    OutputFiles.checkPlot("--plot", plot);
    return Optional.of(
        new TuneOptions(
            steps(),
            costs(),
            limits(),
            maxRows == null ? OptionalInt.empty() : OptionalInt.of(maxRows),
            maxContext == null ? OptionalInt.empty() : OptionalInt.of(maxContext),
            Optional.ofNullable(explain).map(TuneCommand::bucket)));
  }

  private TuneOptions.Workload steps() {
    if ((trace == null) == (workload == null)) {
      throw new IllegalArgumentException(
          trace == null
              ? "give --trace FILE or --workload KIND, such as --workload bursty"
              : "--trace and --workload exclude each other; keep one");
    }
    if (trace != null) {
      OutputFiles.checkSource("--trace", trace);
      return new TuneOptions.Trace(trace, prefillMicros);
    }
    return new TuneOptions.Synthetic(
        kind(Objects.requireNonNull(workload)),
        requests,
        rate,
        prompt,
        output,
        seed,
        prefillMicros);
  }

  private static SyntheticWorkload kind(String name) {
    List<String> names = Arrays.stream(SyntheticWorkload.values()).map(k -> k.label()).toList();
    int index = names.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "--workload must be %s; it is \"%s\"%s"
              .formatted(
                  names.stream().collect(Collectors.joining(", ")),
                  name,
                  Nearest.to(name, names).map(near -> ", did you mean " + near + "?").orElse("")));
    }
    return SyntheticWorkload.values()[index];
  }

  private String costs() {
    if (measure != null) {
      return measure.toString();
    }
    String choice = costs == null ? ASSUMED : costs;
    Tuning.checkCosts(choice);
    if (!choice.startsWith("assume:")) {
      OutputFiles.checkSource("--costs", Path.of(choice));
    }
    return choice;
  }

  private TunerLimits limits() {
    if (maxGraphs < 1 || maxGraphs > 1024) {
      throw new IllegalArgumentException(
          "--max-graphs must be 1 to 1024, such as 24; it is " + maxGraphs);
    }
    if (contextStep < 1) {
      throw new IllegalArgumentException(
          "--context-step must be 1 or more, such as 16; it is " + contextStep);
    }
    if (!(captureWeight >= 0 && captureWeight < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "--capture-weight must be 0 or more, such as 1; it is " + captureWeight);
    }
    return new TunerLimits(maxGraphs, bytes(), contextStep, captureWeight);
  }

  private long bytes() {
    try {
      return maxBytes == null ? Long.MAX_VALUE : ByteSize.parse(maxBytes);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--max-bytes: " + e.getMessage(), e);
    }
  }

  private static Bucket bucket(String text) {
    Matcher matcher = BUCKET.matcher(text);
    if (!matcher.matches() || text.startsWith("0") || text.contains("x0")) {
      throw new IllegalArgumentException(
          "--explain must be rows x context, such as 8x1024; it is \"" + text + "\"");
    }
    return new Bucket(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }
}
