package dev.reprise.cli;

import dev.reprise.cli.bench.DecodeArm;
import dev.reprise.cli.bench.DecodeBench;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code reprise bench decode}: what a host of requests gives. */
@Command(
    name = "decode",
    description =
        "Measures tokens a second and latencies of requests that run together, for every pairing of"
            + " rows, prompts and outputs: eager, replayed, and with the next step launched ahead.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise bench decode",
      "  reprise bench decode -p 16,64 -n 32 --rows 1,2,4 -r 10",
      "  reprise bench decode --kernels variants",
      "  reprise bench decode --rows 1-8*2 --arms replayed,pipelined --format csv",
      "",
      "Numbers are lists and ranges: 1,4 or 1-4 or 16-64+16 or 1-8*2.",
      "Exit codes: 0 done, 1 the run failed, 2 bad usage."
    })
final class BenchDecodeCommand implements Callable<Integer> {

  private static final int MOST_REPETITIONS = 10_000;

  private final Clock clock;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-p", "--prompt"},
      paramLabel = "LIST",
      defaultValue = "16",
      description = "Tokens of a prompt (default: ${DEFAULT-VALUE}).")
  private String prompts = "";

  @Option(
      names = {"-n", "--output"},
      paramLabel = "LIST",
      defaultValue = "32",
      description = "Tokens that a request generates (default: ${DEFAULT-VALUE}).")
  private String outputs = "";

  @Option(
      names = "--rows",
      paramLabel = "LIST",
      defaultValue = "1,4",
      description = "Requests that run together (default: ${DEFAULT-VALUE}).")
  private String rows = "";

  @Option(
      names = {"-r", "--repetitions"},
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each is measured, after one to warm up (default: ${DEFAULT-VALUE}).")
  private int repetitions;

  @Option(
      names = "--arms",
      paramLabel = "LIST",
      defaultValue = "eager,replayed,pipelined",
      description = "What is compared (default: ${DEFAULT-VALUE}).")
  private String arms = "";

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the prompts, which are random tokens (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Mixin private final MeasureOptions measure = new MeasureOptions();
  @Mixin private final KernelOptions kernels = new KernelOptions();
  @Mixin private final ReportOptions report = new ReportOptions();

  /**
   * @param clock gives the date of the report
   */
  BenchDecodeCommand(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    DecodeBench.Plan plan;
    try {
      plan = plan();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
    report.write(DecodeBench.run(plan, Main.version(), clock, MeasureOptions.progress(line)), line);
    return CommandLine.ExitCode.OK;
  }

  private DecodeBench.Plan plan() {
    measure.check();
    kernels.check();
    report.check();
    return new DecodeBench.Plan(
        measure.driver(),
        measure.model(),
        MeasureOptions.rows("--rows", rows),
        MeasureOptions.positions("--prompt", prompts, 1),
        MeasureOptions.positions("--output", outputs, 1),
        MeasureOptions.within("--repetitions", repetitions, MOST_REPETITIONS),
        DecodeArm.parse("--arms", arms),
        seed,
        kernels.folder());
  }
}
