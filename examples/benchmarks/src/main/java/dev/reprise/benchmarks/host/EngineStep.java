package dev.reprise.benchmarks.host;

import dev.reprise.graph.decode.DecodeEngine;
import dev.reprise.graph.decode.DecodeSequence;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.decode.SequenceListener;
import dev.reprise.graph.schedule.Priority;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Decode steps of the engine, from the decision to the tokens: schedule, replay, record, wait,
 * read, tell. The driver does nothing, so this is the host's time without the driver's. What counts
 * are the counters of {@link StepCost}.
 */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init")
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 10)
@Fork(
    value = 2,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED"})
public class EngineStep {

  private static final int STEPS = 200_000;
  private static final int CONTEXT = 1 << 18;

  /** Sequences that decode. */
  @Param({"1", "16"})
  public int rows;

  /** Steps in flight. */
  @Param({"1", "2"})
  public int inFlight;

  private EmptyServing serving;
  private DecodeEngine engine;
  private int ended;

  /** For JMH. */
  public EngineStep() {}

  /** Opens the driver that does nothing. */
  @Setup(Level.Trial)
  public void open() {
    serving = new EmptyServing(rows, CONTEXT, CONTEXT, inFlight);
    engine = DecodeEngine.create(serving.device(), serving.model(), serving.options());
  }

  /** Gives every row a sequence, and looks at steps in the middle of them. */
  @Benchmark
  public int steps(StepCost cost) {
    List<DecodeSequence> sequences = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      DecodeSequence sequence = sequence(row);
      sequences.add(sequence);
      engine.submit(sequence);
    }
    // Prompts, the capture, and the first replays.
    for (int i = 0; i < 4 * rows + 64; i++) {
      engine.turn(0);
    }
    ended = 0;
    cost.begin(Thread.currentThread().threadId());
    for (int i = 0; i < STEPS; i++) {
      engine.turn(0);
    }
    cost.end(STEPS);
    if (ended != 0) {
      throw new IllegalStateException(ended + " sequences ended meanwhile");
    }
    sequences.forEach(engine::cancel);
    return ended;
  }

  private DecodeSequence sequence(int row) {
    return new DecodeSequence(
        "row " + row,
        new int[] {1, 2, 3},
        CONTEXT,
        SamplingParameters.greedy(),
        Set.of(63),
        Priority.NORMAL,
        "",
        Long.MAX_VALUE,
        new SequenceListener() {
          @Override
          public boolean onToken(int token) {
            return true;
          }

          @Override
          public void onEnd(FinishReason reason, @Nullable RuntimeException failure) {
            ended++;
          }
        });
  }

  /** Frees everything. */
  @TearDown(Level.Trial)
  public void close() {
    serving.check(engine.metrics().steps());
    if (engine.metrics().steps().eagerSteps() != 0) {
      throw new IllegalStateException("Some steps were no replays: " + engine.metrics());
    }
    engine.close();
    serving.close();
  }
}
