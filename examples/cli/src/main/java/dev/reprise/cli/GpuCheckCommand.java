package dev.reprise.cli;

import dev.reprise.cli.gpucheck.CheckPlan;
import dev.reprise.cli.gpucheck.GpuCheck;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code reprise gpu-check}: checks a device and measures it, and writes a report. */
@Command(
    name = "gpu-check",
    description =
        "Checks every kernel and the model's tokens on device 0, measures launches, graphs,"
            + " decoding and copies, and writes a report.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise gpu-check",
      "  reprise gpu-check --driver cuda --output h200",
      "  reprise gpu-check --driver software --quick",
      "",
      "Writes gpu-check.json and gpu-check.md into the folder, again after each section.",
      "Exit codes: 0 all checks passed, 1 one did not, 2 bad usage."
    })
final class GpuCheckCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      defaultValue = "gpu-check",
      description = "Where the report goes (default: ${DEFAULT-VALUE}).")
  private Path output = Path.of("");

  @Option(
      names = "--quick",
      description = "Fewer shapes, tokens and nodes: what a software GPU can do in a minute.")
  private boolean quick;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description =
          "What the measurements may take together; the checks come on top (default: 100, or 12"
              + " with --quick).")
  private @Nullable Integer seconds;

  @Option(
      names = "--driver",
      paramLabel = "D",
      description =
          "auto, cuda, software, or the path of a library (default: what the environment says, else"
              + " auto).")
  private @Nullable String driver;

  @Option(names = Main.VERBOSE, description = "Log details, and a stack trace when the run fails.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    CheckPlan plan = plan(line);
    PrintWriter err = line.getErr();
    GpuCheck.Outcome outcome =
        GpuCheck.run(
            Optional.ofNullable(driver),
            output,
            plan,
            Main.version(),
            section -> {
              err.println("gpu-check: " + section + " …");
              err.flush();
            });
    PrintWriter out = line.getOut();
    outcome.summary().forEach(out::println);
    out.println("The report is in " + outcome.markdown() + " and " + outcome.json() + ".");
    if (out.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
    return outcome.passed() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private CheckPlan plan(CommandLine line) {
    if (Files.exists(output) && !Files.isDirectory(output)) {
      throw new ParameterException(line, "--output " + output + ": this is not a folder");
    }
    try {
      if (driver != null) {
        DriverChoice.check(driver);
      }
      return new CheckPlan(quick, seconds != null ? seconds : CheckPlan.standardSeconds(quick));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
  }
}
