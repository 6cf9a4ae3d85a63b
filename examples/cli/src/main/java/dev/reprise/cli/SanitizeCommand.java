package dev.reprise.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code reprise sanitize}: runs another command on the software GPU with its sanitizer on. The
 * settings go through properties, which the driver reads when it is loaded; it is also what ends
 * the process with a status of its own where it has made reports.
 */
@Command(
    name = "sanitize",
    description =
        "Runs another command on the software GPU and reports races, stale pointers, reads of"
            + " memory that nothing wrote and other mistakes, with Java stacks.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    customSynopsis = "reprise sanitize [OPTIONS] -- COMMAND [ARGUMENTS]",
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise sanitize -- generate --max-tokens 4",
      "  reprise sanitize --level stacks -- gpu-check --quick",
      "  reprise sanitize --suppress leak,uninitialised-read -- generate",
      "",
      "Exit codes: 3 there were reports, else the code of the command, 2 bad usage."
    })
final class SanitizeCommand implements Callable<Integer> {

  /** What the process ends with where there were reports. */
  static final int REPORTS = 3;

  private static final String SANITIZE = "REPRISE_SANITIZE";
  private static final String DRIVER = "reprise.driver";

  /** Runs a command of the program in this process. */
  interface Runner {
    /** Gives the exit code. */
    int run(PrintWriter out, PrintWriter err, String... arguments);
  }

  private final Runner runner;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--level",
      paramLabel = "L",
      defaultValue = "full",
      description =
          "faults, stacks (the same with Java stacks, and leaks) or full (default:"
              + " ${DEFAULT-VALUE}).")
  private String level = "full";

  @Option(
      names = "--suppress",
      paramLabel = "KIND",
      split = ",",
      description = "Kinds that are not reported.")
  private List<String> suppressed = List.of();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Reports that are shown; later ones are counted (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "The command to run, with its arguments.")
  private List<String> command = List.of();

  SanitizeCommand(Runner runner) {
    this.runner = runner;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    if (command.isEmpty() || command.getFirst().equals("sanitize")) {
      throw new ParameterException(line, "name the command to run: sanitize -- COMMAND ARGUMENTS");
    }
    if (!List.of("faults", "stacks", "full").contains(level)) {
      throw new ParameterException(
          line, "--level must be faults, stacks or full; it is \"" + level + "\"");
    }
    List<String> parts = new ArrayList<>(List.of(level, "limit=" + limit, "exit=" + REPORTS));
    suppressed.forEach(kind -> parts.add("-" + kind));
    System.setProperty(SANITIZE, String.join(",", parts));
    System.setProperty(DRIVER, "software");
    return runner.run(line.getOut(), line.getErr(), command.toArray(String[]::new));
  }
}
