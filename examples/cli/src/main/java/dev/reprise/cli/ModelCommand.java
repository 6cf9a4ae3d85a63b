package dev.reprise.cli;

import dev.reprise.cli.model.KernelOccupancy;
import dev.reprise.cli.model.Prediction;
import dev.reprise.cli.model.Predictions;
import dev.reprise.cli.text.ByteSize;
import dev.reprise.cli.text.Nearest;
import dev.reprise.graph.model.DeviceModel;
import dev.reprise.graph.model.FusionSavings;
import dev.reprise.graph.model.LaunchCost;
import dev.reprise.graph.model.ModelShape;
import dev.reprise.graph.model.Roofline;
import dev.reprise.graph.model.TileLedger;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code reprise model}: what sizes, bandwidths and launch costs alone say about a step. */
@Command(
    name = "model",
    description =
        "Predicts from sizes and published peaks: by itself the ledger of a tile of a matrix"
            + " product, and more with a subcommand. Nothing is measured.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  reprise model --m 64 --n 64 --k 32 --dtype f16 --stages 2 --smem 48KiB",
      "  reprise model occupancy --device h200,a100 --model tiny-stories",
      "  reprise model roofline --device h200 --model llama-3.1-8b --rows 1,8,64",
      "  reprise model launch --kernels 293 --kernel-us 3200",
      "  reprise model fusion --kernels 3 --elements 4096",
      "  reprise model amdahl --part matmul=600 --part launch=200 --faster launch=10",
      "",
      "Exit codes: 0 done, 1 the run failed, 2 bad usage."
    })
final class ModelCommand implements Callable<Integer> {

  private static final Map<String, Integer> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("f64", 8);
    TYPES.put("f32", 4);
    TYPES.put("f16", 2);
    TYPES.put("bf16", 2);
    TYPES.put("f8", 1);
    TYPES.put("i8", 1);
  }

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--m",
      paramLabel = "N",
      defaultValue = "64",
      description = "Rows of the tile (default: ${DEFAULT-VALUE}).")
  private int m;

  @Option(
      names = "--n",
      paramLabel = "N",
      defaultValue = "64",
      description = "Columns of the tile (default: ${DEFAULT-VALUE}).")
  private int n;

  @Option(
      names = "--k",
      paramLabel = "N",
      defaultValue = "32",
      description = "Terms of a stage (default: ${DEFAULT-VALUE}).")
  private int k;

  @Option(
      names = "--dtype",
      paramLabel = "T",
      defaultValue = "f16",
      description = "f64, f32, f16, bf16, f8 or i8 (default: ${DEFAULT-VALUE}).")
  private String dtype = "";

  @Option(
      names = "--stages",
      paramLabel = "N",
      defaultValue = "2",
      description = "Tiles that are held at once (default: ${DEFAULT-VALUE}).")
  private int stages;

  @Option(
      names = "--smem",
      paramLabel = "SIZE",
      defaultValue = "48KiB",
      description = "Shared memory that a block may have (default: ${DEFAULT-VALUE}).")
  private String smem = "";

  @Mixin private final Output output = new Output();

  /** Options of every part. */
  static final class Output {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(
        names = Main.VERBOSE,
        description = "Log details, and a stack trace when the run fails.")
    private boolean verbose;

    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Show this help.")
    private boolean help;
  }

  @Override
  public Integer call() {
    return print(
        output,
        () -> {
          if (!TYPES.containsKey(dtype)) {
            throw new IllegalArgumentException(
                "--dtype must be %s; it is \"%s\"%s"
                    .formatted(
                        String.join(", ", TYPES.keySet()),
                        dtype,
                        Nearest.to(dtype, TYPES.keySet())
                            .map(near -> ", did you mean " + near + "?")
                            .orElse("")));
          }
          return Predictions.tile(
              new TileLedger(m, n, k, Objects.requireNonNull(TYPES.get(dtype)), stages, shared()),
              dtype);
        });
  }

  private long shared() {
    try {
      return ByteSize.parse(smem);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--smem: " + e.getMessage(), e);
    }
  }

  @Command(
      name = "occupancy",
      sortOptions = false,
      usageHelpAutoWidth = true,
      description = "Occupancy of this project's kernels, from their contracts and ptxas.")
  int occupancy(
      @Option(
              names = "--device",
              paramLabel = "D",
              split = ",",
              defaultValue = "h200,h100,a100,rtx4090,l4,t4",
              description = "Devices, separated by commas (default: ${DEFAULT-VALUE}).")
          List<String> devices,
      @Option(
              names = "--model",
              paramLabel = "M",
              defaultValue = "tiny-stories",
              description = "The model (default: ${DEFAULT-VALUE}).")
          String model,
      @Option(
              names = "--rows",
              paramLabel = "N",
              defaultValue = "1",
              description = "Rows of the step (default: ${DEFAULT-VALUE}).")
          int rows,
      @Mixin Output parts) {
    return print(
        parts,
        () ->
            KernelOccupancy.of(
                devices.stream().map(DeviceModel::named).toList(),
                ModelShape.named(model),
                positive("--rows", rows)));
  }

  @Command(
      name = "roofline",
      sortOptions = false,
      usageHelpAutoWidth = true,
      description = "The least time of a decode step by bytes and by operations.")
  int roofline(
      @Option(
              names = "--device",
              paramLabel = "D",
              defaultValue = "h200",
              description = "The device (default: ${DEFAULT-VALUE}).")
          String device,
      @Option(
              names = "--model",
              paramLabel = "M",
              defaultValue = "llama-3.1-8b",
              description = "The model (default: ${DEFAULT-VALUE}).")
          String model,
      @Option(
              names = "--rows",
              paramLabel = "N",
              split = ",",
              defaultValue = "1,8,32,64,128,256",
              description = "Rows, separated by commas (default: ${DEFAULT-VALUE}).")
          List<Integer> rows,
      @Option(
              names = "--context",
              paramLabel = "N",
              defaultValue = "1024",
              description = "Positions of each row (default: ${DEFAULT-VALUE}).")
          int context,
      @Mixin Output parts) {
    return print(
        parts,
        () -> {
          rows.forEach(count -> positive("--rows", count));
          return Predictions.roofline(
              DeviceModel.named(device),
              ModelShape.named(model),
              rows,
              positive("--context", context));
        });
  }

  @Command(
      name = "launch",
      sortOptions = false,
      usageHelpAutoWidth = true,
      description = "K plain launches against one graph launch.")
  int launch(
      @Option(
              names = "--model",
              paramLabel = "M",
              defaultValue = "llama-3.1-8b",
              description =
                  "The model, for K and the time of the kernels (default: ${DEFAULT-VALUE}).")
          String model,
      @Option(
              names = "--device",
              paramLabel = "D",
              defaultValue = "h200",
              description = "The device, for the time of the kernels (default: ${DEFAULT-VALUE}).")
          String device,
      @Option(
              names = "--rows",
              paramLabel = "N",
              defaultValue = "1",
              description = "Rows of the step (default: ${DEFAULT-VALUE}).")
          int rows,
      @Option(
              names = "--context",
              paramLabel = "N",
              defaultValue = "1024",
              description = "Positions of each row (default: ${DEFAULT-VALUE}).")
          int context,
      @Option(names = "--kernels", paramLabel = "K", description = "K instead of the model's.")
          @Nullable Integer kernels,
      @Option(
              names = "--kernel-us",
              paramLabel = "US",
              description = "Time of the kernels instead of their roofline.")
          @Nullable Double kernelMicros,
      @Option(
              names = "--launch-us",
              paramLabel = "US",
              defaultValue = "2.5",
              description = "Host time of a plain launch, t_l (default: ${DEFAULT-VALUE}).")
          double launchMicros,
      @Option(
              names = "--gap-us",
              paramLabel = "US",
              defaultValue = "1.4",
              description =
                  "Device time between two kernels of plain launches (default: ${DEFAULT-VALUE}).")
          double gapMicros,
      @Option(
              names = "--graph-us",
              paramLabel = "US",
              defaultValue = "8",
              description = "From a graph launch to its first kernel (default: ${DEFAULT-VALUE}).")
          double graphMicros,
      @Option(
              names = "--node-us",
              paramLabel = "US",
              defaultValue = "0.6",
              description = "Device time between two nodes of a graph (default: ${DEFAULT-VALUE}).")
          double nodeMicros,
      @Mixin Output parts) {
    return print(
        parts,
        () -> {
          ModelShape shape = ModelShape.named(model);
          DeviceModel on = DeviceModel.named(device);
          double micros =
              kernelMicros != null
                  ? kernelMicros
                  : new Roofline(on.bytesPerSecond(), on.flops(shape.weightBytes()))
                      .micros(
                          shape.stepBytes(positive("--rows", rows), positive("--context", context)),
                          shape.stepFlops(rows, context));
          if (!(micros >= 0 && micros < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                "--kernel-us must be 0 or more microseconds; it is " + micros);
          }
          return Predictions.launch(
              new LaunchCost(launchMicros, gapMicros, graphMicros, nodeMicros),
              kernels != null ? positive("--kernels", kernels) : shape.kernels(),
              micros,
              "launches as given or assumed, kernels "
                  + (kernelMicros != null
                      ? "as given"
                      : "of %s on %s by roofline".formatted(shape.name(), on.title())));
        });
  }

  @Command(
      name = "fusion",
      sortOptions = false,
      usageHelpAutoWidth = true,
      description = "What making a chain of kernels one would save.")
  int fusion(
      @Option(
              names = "--kernels",
              paramLabel = "N",
              required = true,
              description = "Kernels of the chain.")
          int kernels,
      @Option(
              names = "--elements",
              paramLabel = "N",
              required = true,
              description = "Elements of each array between two of them.")
          long elements,
      @Option(
              names = "--element-bytes",
              paramLabel = "N",
              defaultValue = "4",
              description = "Bytes of an element (default: ${DEFAULT-VALUE}).")
          int elementBytes,
      @Option(
              names = "--device",
              paramLabel = "D",
              defaultValue = "h200",
              description = "The device (default: ${DEFAULT-VALUE}).")
          String device,
      @Option(
              names = "--launch-us",
              paramLabel = "US",
              defaultValue = "2.5",
              description = "Time of a launch (default: ${DEFAULT-VALUE}).")
          double launchMicros,
      @Mixin Output parts) {
    return print(
        parts,
        () -> {
          FusionSavings fused = new FusionSavings(kernels, elements, elementBytes);
          try {
            return Predictions.fusion(
                fused,
                DeviceModel.named(device),
                new LaunchCost(launchMicros, 0, 0, 0).launchMicros());
          } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                "--kernels and --elements: together more bytes than there can be", e);
          }
        });
  }

  @Command(
      name = "amdahl",
      sortOptions = false,
      usageHelpAutoWidth = true,
      description = "How much a step can gain from parts that get faster.")
  int amdahl(
      @Option(
              names = "--part",
              paramLabel = "NAME=US",
              required = true,
              description = "A part of the step and its measured microseconds; repeat it.")
          Map<String, Double> parts,
      @Option(
              names = "--faster",
              paramLabel = "NAME=FACTOR",
              description = "A part that gets faster by a factor; repeat it.")
          @Nullable Map<String, Double> faster,
      @Mixin Output options) {
    return print(
        options, () -> Predictions.amdahl(parts, Optional.ofNullable(faster).orElse(Map.of())));
  }

  private static int positive(String flag, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(flag + " must be 1 or more; it is " + value);
    }
    return value;
  }

  private int print(Output options, Supplier<Prediction> predict) {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    CommandLine used = used(line);
    Prediction prediction;
    try {
      prediction = predict.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(used, String.valueOf(e.getMessage()), e);
    }
    PrintWriter out = used.getOut();
    if (options.json) {
      out.println(prediction.json());
    } else {
      prediction.lines().forEach(out::println);
    }
    if (out.checkError()) {
      throw new IllegalStateException("standard output was closed before all was written");
    }
    return CommandLine.ExitCode.OK;
  }

  /** The subcommand that was given, or this command. */
  private static CommandLine used(CommandLine line) {
    CommandLine.ParseResult parsed = line.getParseResult();
    return parsed != null && parsed.hasSubcommand()
        ? parsed.subcommand().commandSpec().commandLine()
        : line;
  }
}
