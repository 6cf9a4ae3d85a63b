package dev.reprise.cli;

import dev.reprise.cli.ptx.BadCaseException;
import dev.reprise.cli.ptx.InspectionJson;
import dev.reprise.cli.ptx.InspectionText;
import dev.reprise.cli.ptx.PtxText;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.ModuleLoadException;
import dev.reprise.softgpu.inspect.PtxInspection;
import dev.reprise.softgpu.inspect.PtxProblem;
import java.io.PrintWriter;
import java.nio.file.Path;
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

/** {@code reprise ptx check}: says whether a PTX file loads, and what it uses. */
@Command(
    name = "check",
    description =
        "Says whether a PTX file loads into the software GPU, what it uses, and all that is not"
            + " supported.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise ptx check kernels.ptx",
      "  reprise ptx check kernels.ptx --json",
      "",
      "Exit codes: 0 it loads, 1 it does not, 2 bad usage."
    })
final class PtxCheckCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "FILE.ptx", description = "The PTX text.")
  private Path file = Path.of("");

  @Option(names = "--json", description = "Print one JSON object, with all details.")
  private boolean json;

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
    String ptx;
    try {
      ptx = PtxText.read(file);
    } catch (BadCaseException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
    PtxInspection found = PtxInspection.of(ptx);
    if (found.loads()) {
      found = loaded(ptx, found);
    }
    PrintWriter out = line.getOut();
    if (json) {
      out.println(InspectionJson.line(file.toString(), found));
    } else {
      InspectionText.lines(file.toString(), found).forEach(out::println);
    }
    if (out.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
    return found.loads() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  /** What the driver says has the last word, such as about the target. */
  private PtxInspection loaded(String ptx, PtxInspection found) {
    PtxDriver.use("software", verbose);
    try (Device device = Device.open(0)) {
      device.loadModule(file.toString(), ptx).close();
      return found;
    } catch (ModuleLoadException e) {
      String why = e.errorLog().isBlank() ? e.driverText() : e.errorLog();
      return found.with(
          new PtxProblem(
              PtxProblem.Kind.UNSUPPORTED, 0, 0, e.name() + " (" + e.code() + "): " + why));
    }
  }
}
