package dev.reprise.benchmarks;

import dev.reprise.cuda.Device;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.Generation;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.llama.LlamaModel;
import dev.reprise.llama.gguf.GgufFile;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Decoding one sequence with the embedded model: milliseconds a token of a 64-token greedy
 * continuation of a 6-token prompt, its prefill included. The percentiles are of whole
 * continuations, each divided by its tokens, not of single tokens.
 *
 * <p>The software GPU runs a kernel many times before it compiles it, and the first continuations
 * are slower for it; so the warm-up is long.
 */
@SuppressWarnings("NullAway.Init")
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 10, time = 2)
@Measurement(iterations = 10, time = 2)
@Fork(
    value = 2,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED"})
public class DecodeBenchmark {

  private static final int TOKENS = 64;
  private static final int[] PROMPT = {0, 336, 347, 616, 260, 423};

  /** How decode steps run. */
  public enum Steps {
    /** One graph launch a step. */
    REPLAYED,
    /** Plain launches. */
    EAGER
  }

  /** How decode steps run. */
  @Param public Steps steps = Steps.REPLAYED;

  // Set by open() before anything else runs.
  private Device device;
  private LlamaModel model;
  private DecodeLoop loop;

  /** Loads the model and captures its step. */
  @Setup(Level.Trial)
  public void open() {
    device = Device.open(0);
    try (GgufFile file = GgufFile.openResource(LlamaModel.class, LlamaModel.EMBEDDED)) {
      model = LlamaModel.load(device, file);
    }
    DecodeOptions options =
        DecodeOptions.forOneSequence(model.info()).withEager(steps == Steps.EAGER);
    loop = DecodeLoop.create(device, model, options);
  }

  /** Frees the device memory. */
  @TearDown(Level.Trial)
  public void close() {
    loop.close();
    model.close();
    device.close();
  }

  /** One story opening. */
  @Benchmark
  @OperationsPerInvocation(TOKENS)
  public Generation decode() {
    return loop.generate(PROMPT, SamplingParameters.greedy(), TOKENS, Set.of(), token -> true);
  }
}
