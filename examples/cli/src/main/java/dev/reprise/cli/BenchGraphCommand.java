package dev.reprise.cli;

import dev.reprise.cli.bench.GraphBench;
import dev.reprise.cli.measure.StepBench;
import dev.reprise.cli.text.IntRanges;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code reprise bench graph}: what graphs cost and save. */
@Command(
    name = "graph",
    description =
        "Measures what the graph of each bucket costs to make, and its replay against plain"
            + " launches; and what a node of a graph costs to launch.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise bench graph",
      "  reprise bench graph --rows 1-8*2 --contexts 64,256 --rounds 20 --format md,json --out graphs",
      "  reprise bench graph --nodes 1,100-1000+100 --plot launches.svg",
      "  reprise bench graph --kernels variants",
      "",
      "Numbers are lists and ranges: 1,4 or 1-4 or 100-1000+100 or 1-8*2.",
      "Exit codes: 0 done, 1 the run failed, 2 bad usage."
    })
final class BenchGraphCommand implements Callable<Integer> {

  private static final int MOST_NODES = 100_000;
  private static final int MOST_ROUNDS = 10_000;

  private final Clock clock;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--rows",
      paramLabel = "LIST",
      defaultValue = "1,4",
      description = "Rows of the buckets (default: ${DEFAULT-VALUE}).")
  private String rows = "";

  @Option(
      names = "--contexts",
      paramLabel = "LIST",
      defaultValue = "64,256",
      description = "Contexts of the buckets (default: ${DEFAULT-VALUE}).")
  private String contexts = "";

  @Option(
      names = "--nodes",
      paramLabel = "LIST",
      defaultValue = "1,10,50,100,200",
      description = "Lengths of the chains of empty kernels (default: ${DEFAULT-VALUE}).")
  private String nodes = "";

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Rounds of each of three passes; two steps of each kind are timed in a round (default:"
              + " ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw launch cost against nodes; the name ends in .svg or .png.")
  private @Nullable Path plot;

  @Mixin private final MeasureOptions measure = new MeasureOptions();
  @Mixin private final KernelOptions kernels = new KernelOptions();
  @Mixin private final ReportOptions report = new ReportOptions();

  /**
   * @param clock gives the date of the report
   */
  BenchGraphCommand(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    GraphBench.Plan plan;
    try {
      plan = plan();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
    report.write(
        GraphBench.run(
            plan, Main.version(), clock, MeasureOptions.progress(line), Optional.ofNullable(plot)),
        line);
    return CommandLine.ExitCode.OK;
  }

  private GraphBench.Plan plan() {
    measure.check();
    kernels.check();
    report.check();
    OutputFiles.checkPlot("--plot", plot);
    return new GraphBench.Plan(
        measure.driver(),
        measure.model(),
        MeasureOptions.rows("--rows", rows),
        MeasureOptions.positions("--contexts", contexts, StepBench.LEAST_CONTEXT),
        IntRanges.parse("--nodes", nodes, 1, MOST_NODES),
        MeasureOptions.within("--rounds", rounds, MOST_ROUNDS),
        kernels.folder());
  }
}
