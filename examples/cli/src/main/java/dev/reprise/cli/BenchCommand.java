package dev.reprise.cli;

import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code reprise bench}: the benchmarks. */
@Command(
    name = "bench",
    description = "Measures graphs or decoding on device 0.",
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND")
final class BenchCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  private BenchCommand() {}

  /**
   * The command with its subcommands.
   *
   * @param clock gives the date of a report
   */
  static CommandLine commandLine(Clock clock) {
    return new CommandLine(new BenchCommand())
        .addSubcommand(new BenchGraphCommand(clock))
        .addSubcommand(new BenchDecodeCommand(clock));
  }

  /** Without a command: says which there are. */
  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return CommandLine.ExitCode.USAGE;
  }
}
