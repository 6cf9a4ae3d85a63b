package dev.reprise.cli;

import dev.reprise.cli.doctor.Diagnosis;
import dev.reprise.cli.doctor.DiagnosisJson;
import dev.reprise.cli.doctor.DiagnosisText;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code reprise doctor}: says what is there to run on, what is wrong, and what to do about it. */
@Command(
    name = "doctor",
    description =
        "Examines Java, the driver and its devices, and says what is wrong and how to mend it.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise doctor",
      "  reprise doctor --driver cuda",
      "  reprise doctor --driver /usr/lib/x86_64-linux-gnu/libcuda.so.1 --verbose",
      "  reprise doctor --json",
      "",
      "Exit codes: 0 something can run, 1 nothing can, 2 bad usage."
    })
final class DoctorCommand implements Callable<Integer> {
  private final Function<Optional<String>, Diagnosis> examination;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--driver",
      paramLabel = "D",
      description =
          "auto, cuda, software, or the path of a library (default: what the environment says, else"
              + " auto).")
  private @Nullable String driver;

  @Option(names = "--json", description = "Print one JSON object, with all details.")
  private boolean json;

  @Option(
      names = Main.VERBOSE,
      description = "List the driver functions that are missing, and log details.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  /**
   * @param examination makes the diagnosis for a value of {@code --driver}
   */
  DoctorCommand(Function<Optional<String>, Diagnosis> examination) {
    this.examination = examination;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    if (driver != null) {
      try {
        DriverChoice.check(driver);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(line, String.valueOf(e.getMessage()), e);
      }
    }
    Diagnosis diagnosis = examination.apply(Optional.ofNullable(driver));
    PrintWriter out = line.getOut();
    if (json) {
      out.println(DiagnosisJson.line(diagnosis));
    } else {
      DiagnosisText.lines(diagnosis, verbose).forEach(out::println);
    }
    if (out.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
    return diagnosis.canRun() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }
}
