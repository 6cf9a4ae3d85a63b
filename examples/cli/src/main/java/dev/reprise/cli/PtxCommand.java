package dev.reprise.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code reprise ptx}: looks at PTX and runs kernels from it. */
@Command(
    name = "ptx",
    description = "Checks PTX, and runs kernels from it on given bytes; needs no GPU.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise ptx check kernels.ptx",
      "  reprise ptx run kernels.ptx --kernel scale --grid 1 --block 4 \\",
      "      --arg inout:0000803f0000004000004040000080c0 --arg f32:2.5 --arg u32:4",
      "  reprise ptx run --batch cases.json",
      "",
      "\"reprise ptx COMMAND --help\" explains a command.",
      "Exit codes: 0 done, 1 it does not load or a run failed, 2 bad usage."
    })
final class PtxCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  /** Without a command: says which there are. */
  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return CommandLine.ExitCode.USAGE;
  }
}
