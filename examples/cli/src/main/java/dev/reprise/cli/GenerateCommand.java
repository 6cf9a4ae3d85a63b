package dev.reprise.cli;

import dev.reprise.graph.bucket.BucketPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code reprise generate}: writes text from a prompt. */
@Command(
    name = "generate",
    description = "Writes text from a prompt, token by token.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise generate",
      "  reprise generate --prompt \"Lily and Tom were best friends.\" --temperature 0.7",
      "  reprise generate --model model.gguf --max-tokens 64 --json",
      "  echo \"One windy day,\" | reprise generate --prompt - --driver software",
      "  reprise generate --max-tokens 64 --repetition-penalty 1.2",
      "  reprise generate --model model.gguf --adapter pirate.gguf",
      "  reprise generate --eager --verbose",
      "",
      "Without --model the embedded story model is used. The text and the closing",
      "table go to standard output, all else to standard error.",
      "Exit codes: 0 done, 1 the run failed, 2 bad usage."
    })
final class GenerateCommand implements Callable<Integer> {
  private final StoryEngine engine;
  private final InputStream in;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--model",
      paramLabel = "FILE",
      description = "A GGUF file (default: the embedded story model).")
  private @Nullable Path model;

  @Option(
      names = "--adapter",
      paramLabel = "FILE",
      description =
          "A low-rank adapter (LoRA) for the model: GGUF, or safetensors with its"
              + " adapter_config.json beside it.")
  private @Nullable Path adapter;

  @Option(
      names = "--prompt",
      paramLabel = "TEXT",
      defaultValue = "Once upon a time",
      description = "The text to go on from; - reads standard input (default: ${DEFAULT-VALUE}).")
  private String prompt = "";

  @Option(
      names = "--max-tokens",
      paramLabel = "N",
      defaultValue = "256",
      description = "The most tokens to generate (default: ${DEFAULT-VALUE}).")
  private int maxTokens;

  @Option(
      names = "--temperature",
      paramLabel = "T",
      defaultValue = "0",
      description =
          "0 takes the likeliest token; higher is more varied (default: ${DEFAULT-VALUE}).")
  private float temperature;

  @Option(
      names = "--top-k",
      paramLabel = "N",
      defaultValue = "0",
      description = "Keep the N likeliest tokens; 0 keeps all (default: ${DEFAULT-VALUE}).")
  private int topK;

  @Option(
      names = "--top-p",
      paramLabel = "P",
      defaultValue = "1",
      description =
          "Keep the likeliest tokens up to this probability; 1 keeps all (default:"
              + " ${DEFAULT-VALUE}).")
  private float topP;

  @Option(
      names = "--min-p",
      paramLabel = "P",
      defaultValue = "0",
      description =
          "Keep tokens of at least P times the likeliest's probability (default:"
              + " ${DEFAULT-VALUE}).")
  private float minP;

  @Option(
      names = "--repetition-penalty",
      paramLabel = "P",
      defaultValue = "1",
      description =
          "Make tokens of prompt and text less likely, by this factor; 1 is off (default:"
              + " ${DEFAULT-VALUE}).")
  private float repetition;

  @Option(
      names = "--presence-penalty",
      paramLabel = "P",
      defaultValue = "0",
      description =
          "Subtract P from the logits of tokens that are in the text; 0 is off (default:"
              + " ${DEFAULT-VALUE}).")
  private float presence;

  @Option(
      names = "--frequency-penalty",
      paramLabel = "P",
      defaultValue = "0",
      description =
          "Subtract P for each time that a token is in the text; 0 is off (default:"
              + " ${DEFAULT-VALUE}).")
  private float frequency;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the random numbers (default: a new one, printed).")
  private @Nullable Long seed;

  @Option(
      names = "--eager",
      description = "Run decode steps by plain launches, not by captured graphs.")
  private boolean eager;

  @Option(
      names = "--buckets",
      paramLabel = "B",
      description =
          "Shapes to capture: pow2:4, step:2:8, list:1,4x128,512 (rows x contexts) or"
              + " file:buckets.json (default: one row, contexts that grow fourfold).")
  private @Nullable String buckets;

  @Mixin private final KernelOptions kernels = new KernelOptions();

  @Option(
      names = "--driver",
      paramLabel = "D",
      description =
          "auto, cuda, software, or the path of a library (default: what the environment says, else"
              + " auto).")
  private @Nullable String driver;

  @Option(
      names = "--json",
      description = "Print one JSON object, and no text while it is generated.")
  private boolean json;

  @Option(names = Main.VERBOSE, description = "Log details, and a stack trace when the run fails.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  GenerateCommand(StoryEngine engine, InputStream in) {
    this.engine = engine;
    this.in = in;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    GenerateOptions options = options(line);
    if (options.sampling().isGreedy() && options.sampling().hasFilters()) {
      line.getErr()
          .println(
              "reprise generate: --top-k, --top-p and --min-p have no effect at --temperature 0;"
                  + " try 0.7");
      line.getErr().flush();
    }
    PrintWriter out = line.getOut();
    GenerateReport report =
        run(options, json ? piece -> !out.checkError() : whole(out, options.prompt()));
    if (json) {
      out.println(ReportJson.line(report, options));
    } else {
      out.println();
      out.println();
      ReportTable.lines(report).forEach(out::println);
    }
    if (out.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
    return CommandLine.ExitCode.OK;
  }

  /** Errors of the JVM, such as a lack of memory, end the run with a message as all others do. */
  private GenerateReport run(GenerateOptions options, StoryEngine.TextSink sink) {
    try {
      return engine.generate(options, sink);
    } catch (LinkageError | VirtualMachineError e) {
      throw new IllegalStateException(e.toString(), e);
    }
  }

  /** Writes the prompt before the first piece, so that the text reads whole. */
  private static StoryEngine.TextSink whole(PrintWriter out, String prompt) {
    StringBuilder before = new StringBuilder(prompt);
    return piece -> {
      String text = before + piece;
      before.setLength(0);
      return write(out, text);
    };
  }

  private static boolean write(PrintWriter out, String piece) {
    out.print(piece);
    // Flushes as well, so that a token is seen when it is made.
    return !out.checkError();
  }

  private GenerateOptions options(CommandLine line) {
    checkFile(line, "--model", model);
    checkFile(line, "--adapter", adapter);
    try {
      kernels.check();
      GenerateOptions.Sampling sampling =
          new GenerateOptions.Sampling(
              temperature,
              topK,
              topP,
              minP,
              seed != null ? seed : ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE),
              new GenerateOptions.Penalties(repetition, presence, frequency));
      return new GenerateOptions(
          Optional.ofNullable(model),
          Optional.ofNullable(adapter),
          prompt.equals("-") ? standardInput() : prompt,
          maxTokens,
          sampling,
          eager,
          Optional.ofNullable(buckets).map(GenerateCommand::policy),
          kernels.folder(),
          Optional.ofNullable(driver));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
  }

  private static void checkFile(CommandLine line, String option, @Nullable Path file) {
    if (file != null && !Files.isRegularFile(file)) {
      throw new ParameterException(
          line,
          option
              + " "
              + file
              + ": "
              + (Files.exists(file) ? "this is not a file" : "there is no such file"));
    }
  }

  private static BucketPolicy policy(String text) {
    try {
      return BucketPolicy.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--buckets: " + e.getMessage(), e);
    }
  }

  /** All of it, without the line end that a shell puts there. */
  private String standardInput() {
    try {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.endsWith("\r\n")
          ? text.substring(0, text.length() - 2)
          : text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read the prompt from standard input: " + e.getMessage(), e);
    }
  }
}
