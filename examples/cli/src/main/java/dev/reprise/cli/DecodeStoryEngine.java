package dev.reprise.cli;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cuda.Device;
import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.autotune.AutotuneOptions;
import dev.reprise.graph.autotune.AutotuneReport;
import dev.reprise.graph.autotune.AutotuneReport.Source;
import dev.reprise.graph.autotune.Autotuner;
import dev.reprise.graph.cache.CaptureCost;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.DecodeStatistics;
import dev.reprise.graph.decode.Generation;
import dev.reprise.graph.decode.ModelInfo;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.decode.TokenPenalties;
import dev.reprise.llama.LlamaModel;
import dev.reprise.llama.adapter.AdapterFile;
import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.tokenizer.StreamingDecoder;
import dev.reprise.llama.tokenizer.Tokenizer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Generates with a Llama model on the decode loop of the graph runtime. */
final class DecodeStoryEngine implements StoryEngine {

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final AutotuneOptions tuning;

  DecodeStoryEngine() {
    this(AutotuneOptions.standard());
  }

  /**
   * @param tuning how kernel variants are chosen, where a folder is given for them
   */
  DecodeStoryEngine(AutotuneOptions tuning) {
    this.tuning = tuning;
  }

  @Override
  public GenerateReport generate(GenerateOptions options, TextSink sink) {
    DriverLibrary driver =
        options.driver().map(DriverLibrary::use).orElseGet(DriverLibrary::current);
    try (GgufFile file = open(options);
        Device device = Device.open(0);
        LlamaModel model = LlamaModel.load(device, file)) {
      Tokenizer tokenizer = Tokenizer.from(file);
      DecodeOptions decode = decode(options, model.info());
      Optional<AutotuneReport> variants =
          options
              .kernels()
              .map(folder -> Autotuner.warmUp(model, decode, tuning.withFolder(folder)));
      Optional<AdapterWeights> adapter =
          options.adapter().map(path -> AdapterFile.read(path, model.config()));
      AdapterOptions room =
          adapter
              .map(weights -> new AdapterOptions(1, AdapterFile.rank(weights)))
              .orElse(AdapterOptions.NONE);
      try (DecodeLoop loop = DecodeLoop.create(device, model, decode, room)) {
        adapter.ifPresent(loop::useAdapter);
        Story story = new Story(tokenizer, sink);
        Generation generation = story.generate(loop, options);
        return report(
            options, driver, device, model, variants, story, generation, loop.statistics());
      }
    }
  }

  private static DecodeOptions decode(GenerateOptions options, ModelInfo model) {
    DecodeOptions decode = DecodeOptions.forOneSequence(model).withEager(options.eager());
    if (options.buckets().isEmpty()) {
      return decode;
    }
    return decode.withBuckets(options.buckets().get().buckets(model.maxContext()));
  }

  private static GgufFile open(GenerateOptions options) {
    return options
        .model()
        .map(GgufFile::open)
        .orElseGet(() -> GgufFile.openResource(LlamaModel.class, LlamaModel.EMBEDDED));
  }

  /** One generation: tokens in, text out. */
  private static final class Story {

    private final Tokenizer tokenizer;
    private final TextSink sink;
    private final StreamingDecoder decoder;
    private final StringBuilder text = new StringBuilder();

    Story(Tokenizer tokenizer, TextSink sink) {
      this.tokenizer = tokenizer;
      this.sink = sink;
      this.decoder = tokenizer.streamingDecoder();
    }

    Generation generate(DecodeLoop loop, GenerateOptions options) {
      int[] prompt = tokenizer.encode(options.prompt(), tokenizer.addsBos());
      if (prompt.length == 0) {
        throw new IllegalArgumentException(
            "--prompt is empty, and this model has no token to begin a text with; give it a text");
      }
      GenerateOptions.Sampling s = options.sampling();
      Generation generation =
          loop.generate(
              prompt,
              new SamplingParameters(s.temperature(), s.topK(), s.topP(), s.minP(), s.seed())
                  .withPenalties(penalties(s.penalties())),
              options.maxTokens(),
              tokenizer.eos() < 0 ? Set.of() : Set.of(tokenizer.eos()),
              token -> emit(decoder.accept(token)));
      emit(decoder.finish());
      return generation;
    }

    private static TokenPenalties penalties(GenerateOptions.Penalties p) {
      return new TokenPenalties(p.repetition(), p.presence(), p.frequency());
    }

    private boolean emit(String piece) {
      text.append(piece);
      return sink.text(piece);
    }
  }

  private static GenerateReport report(
      GenerateOptions options,
      DriverLibrary driver,
      Device device,
      LlamaModel model,
      Optional<AutotuneReport> variants,
      Story story,
      Generation generation,
      DecodeStatistics statistics) {
    GenerateReport.Finish finish =
        switch (generation.finish()) {
          case STOP -> GenerateReport.Finish.STOP;
          case LENGTH -> GenerateReport.Finish.LENGTH;
          case CANCELLED -> GenerateReport.Finish.CANCELLED;
        };
    Collection<CaptureCost> captures = statistics.captures().values();
    return new GenerateReport(
        device.name(),
        driver.describe(),
        driver.kind() == DriverLibrary.Kind.SOFTWARE,
        new GenerateReport.Model(model.info().name(), model.info().parameters()),
        options.sampling().seed(),
        new GenerateReport.Output(
            generation.promptTokens(),
            Arrays.stream(generation.tokens()).boxed().toList(),
            story.text.toString(),
            finish),
        new GenerateReport.Timing(
            generation.prefillNanos() / NANOS_PER_MILLI,
            generation.prefillNanos() / NANOS_PER_SECOND,
            generation.decodeNanos() / NANOS_PER_SECOND,
            generation.captureNanos() / NANOS_PER_SECOND,
            generation.decodeSteps()),
        new GenerateReport.Graphs(
            captures.size(),
            sum(captures, CaptureCost::captureNanos) / NANOS_PER_MILLI,
            sum(captures, CaptureCost::instantiateNanos) / NANOS_PER_MILLI,
            sum(captures, CaptureCost::uploadNanos) / NANOS_PER_MILLI,
            (long) sum(captures, CaptureCost::deviceBytes),
            statistics.prefillSteps(),
            statistics.eagerSteps(),
            statistics.replays()),
        variants.map(DecodeStoryEngine::variants),
        statistics.kvBytes());
  }

  private static GenerateReport.Variants variants(AutotuneReport report) {
    return new GenerateReport.Variants(
        report.outcomes().size(),
        report.count(Source.KEPT),
        report.count(Source.MEASURED),
        report.changed(),
        report.problem());
  }

  private static double sum(Collection<CaptureCost> captures, ToLongFunction<CaptureCost> figure) {
    return captures.stream().mapToLong(figure).sum();
  }
}
