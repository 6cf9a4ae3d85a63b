package dev.reprise.cli;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cli.ptx.BadCaseException;
import dev.reprise.cli.ptx.CaseArgument;
import dev.reprise.cli.ptx.CaseJson;
import dev.reprise.cli.ptx.CaseReader;
import dev.reprise.cli.ptx.CaseResult;
import dev.reprise.cli.ptx.Extent;
import dev.reprise.cli.ptx.KernelCase;
import dev.reprise.cli.ptx.KernelRunner;
import dev.reprise.cli.ptx.PtxText;
import dev.reprise.softgpu.profile.ProfileReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
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
import tools.jackson.databind.JsonNode;

/** {@code reprise ptx run}: launches a kernel on given bytes, or a batch of them. */
@Command(
    name = "run",
    description =
        "Launches a kernel of a PTX file on given arguments and prints the bytes that it wrote; or"
            + " a batch of such launches.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise ptx run kernels.ptx --kernel scale --grid 1 --block 4 \\",
      "      --arg inout:0000803f0000004000004040000080c0 --arg f32:2.5 --arg u32:4",
      "  reprise ptx run kernels.ptx --kernel sum --grid 8,2 --block 128 --shared 512 \\",
      "      --arg in:00000000 --arg out:64 --arg u64:0x10 --json",
      "  reprise ptx run --batch cases.json",
      "",
      "A batch is a JSON array of {\"name\",\"ptx\" or \"ptx_path\",\"kernel\",\"grid\",\"block\",",
      "\"shared\",\"args\":[...]}, with grid and block as \"X,Y,Z\", as a number or as an array. It",
      "is answered by an array of {\"name\",\"ok\",\"outputs\":[HEX...],\"error\",\"reports\":[...]}",
      "in the same order; a case that fails does not stop the others.",
      "Bytes are those of the memory: numbers begin with their low byte.",
      "Exit codes: 0 done, 1 a run failed, 2 bad usage."
    })
final class PtxRunCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 1e6;

  private final InputStream in;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "FILE.ptx",
      arity = "0..1",
      description = "The PTX text; none with --batch.")
  private @Nullable Path file;

  @Option(names = "--kernel", paramLabel = "K", description = "The kernel, as the PTX names it.")
  private @Nullable String kernel;

  @Option(names = "--grid", paramLabel = "X[,Y,Z]", description = "The grid in blocks.")
  private @Nullable String grid;

  @Option(names = "--block", paramLabel = "X[,Y,Z]", description = "The block in threads.")
  private @Nullable String block;

  @Option(
      names = "--shared",
      paramLabel = "BYTES",
      description = "Dynamic shared memory of each block (default: 0).")
  private @Nullable Integer shared;

  @Option(
      names = "--arg",
      paramLabel = "A",
      description = {
        "An argument, in the order of the parameters: in:HEX (memory that holds these bytes),"
            + " out:BYTES (so many bytes of zeros, printed afterwards), inout:HEX, or a number:"
            + " i32:-1, u32:0xff, i64:N, u64:N, f32:1.5, f32:0x1p-3, f64:nan."
      })
  private List<String> args = new ArrayList<>();

  @Option(
      names = "--batch",
      paramLabel = "CASES.json",
      description = "Run these cases; - reads them from standard input.")
  private @Nullable String batch;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "What a kernel may take (default: ${DEFAULT-VALUE}).")
  private double timeout;

  @Option(
      names = "--sanitize",
      description = "Run with all checks that the software GPU has; they are on anyway.")
  private boolean sanitize;

  @Option(
      names = "--profile",
      description = "Tell exactly what the kernel did: instructions, flops, memory traffic.")
  private boolean profile;

  @Option(names = "--json", description = "Print the result as one JSON object.")
  private boolean json;

  @Option(
      names = "--driver",
      paramLabel = "D",
      defaultValue = "software",
      description = "auto, cuda, software, or the path of a library (default: ${DEFAULT-VALUE}).")
  private String driver = "software";

  @Option(names = Main.VERBOSE, description = "Log details, and a stack trace when the run fails.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  /**
   * @param in where {@code --batch -} reads
   */
  PtxRunCommand(InputStream in) {
    this.in = in;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    try {
      checkOptions();
      return batch != null ? batch(line, batch) : single(line);
    } catch (BadCaseException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
  }

  private void checkOptions() {
    try {
      DriverChoice.check(driver);
    } catch (IllegalArgumentException e) {
      throw new BadCaseException(String.valueOf(e.getMessage()), e);
    }
    if (!(timeout > 0 && timeout <= MOST_SECONDS)) {
      throw new BadCaseException(
          "--timeout must be above 0 and at most 1000000 seconds; it is " + timeout);
    }
  }

  private KernelRunner runner() {
    PtxDriver.use(driver, verbose);
    if (profile && DriverLibrary.current().kind() != DriverLibrary.Kind.SOFTWARE) {
      throw new BadCaseException("--profile needs the software GPU; see --driver");
    }
    return new KernelRunner(Duration.ofNanos((long) (timeout * 1e9)), profile);
  }

  private int single(CommandLine line) {
    KernelCase asked = asked(line);
    CaseResult result;
    try (KernelRunner runner = runner()) {
      result = runner.run(asked);
    }
    if (result.refused()) {
      throw new ParameterException(line, result.error().orElseThrow());
    }
    PrintWriter out = line.getOut();
    if (!json && !result.printed().isEmpty()) {
      out.print(result.printed());
      if (!result.printed().endsWith("\n")) {
        out.println();
      }
    }
    if (json) {
      out.println(CaseJson.line(result));
    } else if (result.ok()) {
      int output = 0;
      for (int k = 0; k < asked.arguments().size(); k++) {
        if (asked.arguments().get(k) instanceof CaseArgument.Memory memory && memory.output()) {
          out.println("argument " + k + ": " + result.outputs().get(output++));
        }
      }
    } else {
      failed(line, result);
    }
    if (!json) {
      ProfileReport.lines(result.profile()).forEach(out::println);
    }
    check(out);
    return result.ok() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private static void failed(CommandLine line, CaseResult result) {
    PrintWriter err = line.getErr();
    String command = line.getCommandSpec().qualifiedName(" ");
    if (result.reports().isEmpty()) {
      err.println(command + ": " + result.error().orElseThrow());
    }
    for (CaseResult.Report report : result.reports()) {
      err.println(command + ": the launch failed with " + report.kind());
      report
          .text()
          .replace(" in kernel ", "\nin kernel ")
          .replace("; nearest allocation", "\nnearest allocation")
          .lines()
          .forEach(text -> err.println("  " + text));
    }
    err.flush();
  }

  private KernelCase asked(CommandLine line) {
    Path path = required(line, file, "FILE.ptx");
    String name = required(line, kernel, "--kernel");
    Extent blocks = Extent.parse("--grid", required(line, grid, "--grid"));
    Extent threads = Extent.parse("--block", required(line, block, "--block"));
    if (shared != null && shared < 0) {
      throw new BadCaseException("--shared must be 0 or more bytes; it is " + shared);
    }
    List<CaseArgument> arguments = new ArrayList<>();
    for (String text : args) {
      try {
        arguments.add(CaseArgument.parse(text));
      } catch (BadCaseException e) {
        throw new ParameterException(line, "--arg " + e.getMessage(), e);
      }
    }
    return new KernelCase(
        name,
        PtxText.read(path),
        name,
        blocks,
        threads,
        shared == null ? 0 : shared,
        List.copyOf(arguments));
  }

  private static <T> T required(CommandLine line, @Nullable T value, String what) {
    if (value == null) {
      throw new ParameterException(
          line, what + " is missing; a run needs FILE.ptx, --kernel, --grid and --block");
    }
    return value;
  }

  private int batch(CommandLine line, String from) {
    if (file != null
        || kernel != null
        || grid != null
        || block != null
        || shared != null
        || !args.isEmpty()) {
      throw new ParameterException(
          line, "--batch takes FILE.ptx, --kernel, --grid, --block, --shared and --arg from CASES");
    }
    boolean piped = from.equals("-");
    Path path = Path.of(from).toAbsolutePath();
    List<JsonNode> entries =
        CaseReader.entries("--batch " + from, piped ? input() : PtxText.read(path));
    CaseReader reader =
        new CaseReader(piped ? Path.of("") : Objects.requireNonNullElse(path.getParent(), path));
    PrintWriter out = line.getOut();
    boolean ok = true;
    try (KernelRunner runner = runner()) {
      out.print("[");
      for (int k = 0; k < entries.size(); k++) {
        CaseResult result = reader.answer(k, entries.get(k), asked -> guarded(runner, asked));
        ok &= result.ok();
        out.print((k == 0 ? "\n" : ",\n") + CaseJson.line(result));
      }
      out.println("\n]");
    }
    check(out);
    return ok ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  /** A case that trips over a flaw of this program is answered so, and the others still run. */
  private CaseResult guarded(KernelRunner runner, KernelCase asked) {
    try {
      return runner.run(asked);
    } catch (RuntimeException | StackOverflowError e) {
      runner.close();
      return CaseResult.flawed(asked.name(), e);
    }
  }

  private String input() {
    try {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("standard input cannot be read: " + e.getMessage(), e);
    }
  }

  private static void check(PrintWriter out) {
    if (out.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
  }
}
