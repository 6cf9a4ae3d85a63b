package dev.reprise.cli;

import dev.reprise.cli.doctor.Doctor;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The {@code reprise} command. Exit codes: 0 done, 1 the run failed, 2 bad usage. */
@Command(
    name = "reprise",
    description =
        "A CUDA Graph decode runtime for the JVM, and a software GPU where there is no NVIDIA"
            + " device.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "\"reprise COMMAND --help\" explains a command."})
public final class Main implements Callable<Integer> {
  static final String VERBOSE = "--verbose";

  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

  @Spec private @Nullable CommandSpec spec;

  private Main() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    // Before the first logger is made, which reads it.
    if (Arrays.asList(arguments).contains(VERBOSE)) {
      System.setProperty(LOG_LEVEL, "debug");
    }
    PrintWriter out =
        new PrintWriter(
            new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), charset()));
    int code = commandLine(new DecodeStoryEngine(), System.in).setOut(out).execute(arguments);
    out.flush();
    System.exit(code);
  }

  /** The command with its subcommands, on an engine. */
  static CommandLine commandLine(StoryEngine engine, InputStream in) {
    return new CommandLine(new Main())
        .addSubcommand(new GenerateCommand(engine, in))
        .addSubcommand(new DoctorCommand(Doctor::examine))
        .addSubcommand(new GpuCheckCommand())
        .addSubcommand(new TuneCommand(Clock.systemUTC()))
        .addSubcommand(new ModelCommand())
        .addSubcommand(
            new SanitizeCommand((out, err, arguments) ->
                commandLine(engine, in).setOut(out).setErr(err).execute(arguments)))
        .addSubcommand(BenchCommand.commandLine(Clock.systemUTC()))
        .addSubcommand(
            new CommandLine(new PtxCommand())
                .addSubcommand(new PtxCheckCommand())
                .addSubcommand(new PtxRunCommand(in)))
        .registerConverter(
            int.class, text -> number(text, Integer::valueOf, "a whole number up to 2147483647"))
        .registerConverter(
            Integer.class,
            text -> number(text, Integer::valueOf, "a whole number up to 2147483647"))
        .registerConverter(
            Long.class, text -> number(text, Long::valueOf, "a whole number of 64 bits"))
        .registerConverter(
            float.class, text -> number(text, Float::valueOf, "a number such as 0.7"))
        .registerConverter(
            double.class, text -> number(text, Double::valueOf, "a number such as 0.7"))
        .registerConverter(
            Double.class, text -> number(text, Double::valueOf, "a number such as 0.7"))
        .registerConverter(
            long.class, text -> number(text, Long::valueOf, "a whole number of 64 bits"))
        .setParameterExceptionHandler(ErrorLines::usage)
        .setExecutionExceptionHandler(ErrorLines::run);
  }

  /** Without a command: says which there are. */
  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return CommandLine.ExitCode.USAGE;
  }

  private static <T> T number(String text, Function<String, T> parse, String expected) {
    try {
      return parse.apply(text.strip());
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is not " + expected);
    }
  }

  /**
   * The terminal's, but where that is ASCII, as in a bare container, stories still have their
   * accents.
   */
  private static Charset charset() {
    Charset stdout = Charset.forName(System.getProperty("stdout.encoding", "UTF-8"));
    return stdout.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : stdout;
  }

  /** The version of this module and of the JDK. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"reprise " + version() + ", JDK " + Runtime.version()};
    }
  }

  /** The version of this module; {@code development} where it was not packaged. */
  static String version() {
    var descriptor = Main.class.getModule().getDescriptor();
    return descriptor == null ? "development" : descriptor.rawVersion().orElse("development");
  }
}
