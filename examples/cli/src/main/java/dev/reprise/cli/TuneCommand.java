package dev.reprise.cli;

import dev.reprise.cli.text.ByteSize;
import dev.reprise.cli.text.Nearest;
import dev.reprise.cli.tune.TuneOptions;
import dev.reprise.cli.tune.Tuning;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.tune.SyntheticWorkload;
import dev.reprise.graph.tune.TunerLimits;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
      "  reprise tune --trace requests.jsonl --costs costs.json --out buckets.json",
      "  reprise tune --workload long-tail --max-graphs 16 --explain 8x2048 --plot plot.svg",
      "",
      "A trace holds a request a line, {\"at_ms\":0,\"prompt\":120,\"output\":64}, or steps,",
      "{\"rows\":8,\"positions\":1030,\"steps\":12}. Lists of other systems are given the",
      "longest context, as they capture one.",
      "Exit codes: 0 done, 1 the run failed, 2 bad usage."
    })
final class TuneCommand implements Callable<Integer> {

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
      defaultValue = "assume:h200:llama-3.1-8b",
      description =
          "A cost file, or assume:DEVICE:MODEL for published peaks, which are no measurement"
              + " (default: ${DEFAULT-VALUE}).")
  private String costs = "";

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
    TuneOptions options;
    try {
      options = options();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
    Tuning tuning = Tuning.run(options);
    if (out != null) {
      tuning.write(
          out, "reprise tune " + Main.version(), clock.instant().truncatedTo(ChronoUnit.SECONDS));
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
    if (writer.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
    return CommandLine.ExitCode.OK;
  }

  private TuneOptions options() {
    checkTarget("--out", out);
    checkTarget("--plot", plot);
    if (plot != null && !plot.toString().toLowerCase(Locale.ROOT).matches(".*\\.(svg|png)")) {
      throw new IllegalArgumentException("--plot must end in .svg or .png; it is " + plot);
    }
    return new TuneOptions(
        steps(),
        costs(),
        limits(),
        maxRows == null ? OptionalInt.empty() : OptionalInt.of(maxRows),
        maxContext == null ? OptionalInt.empty() : OptionalInt.of(maxContext),
        Optional.ofNullable(explain).map(TuneCommand::bucket));
  }

  private TuneOptions.Workload steps() {
    if ((trace == null) == (workload == null)) {
      throw new IllegalArgumentException(
          trace == null
              ? "give --trace FILE or --workload KIND, such as --workload bursty"
              : "--trace and --workload exclude each other; keep one");
    }
    if (trace != null) {
      checkFile("--trace", trace);
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
    Tuning.checkCosts(costs);
    if (!costs.startsWith("assume:")) {
      checkFile("--costs", Path.of(costs));
    }
    return costs;
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

  private static void checkFile(String flag, Path file) {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(
          "%s %s: %s"
              .formatted(
                  flag, file, Files.exists(file) ? "this is not a file" : "there is no such file"));
    }
  }

  /** Before the work is done, so that nothing is lost at its end. */
  private static void checkTarget(String flag, @Nullable Path file) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          "%s %s: %s"
              .formatted(
                  flag,
                  file,
                  Files.isDirectory(file) ? "this is a folder" : "there is no such folder"));
    }
  }
}
