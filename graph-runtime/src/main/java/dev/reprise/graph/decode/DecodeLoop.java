package dev.reprise.graph.decode;

import dev.reprise.cuda.Device;
import dev.reprise.graph.adapter.AdapterLease;
import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.schedule.Priority;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Generates the continuation of one prompt at a time, on the calling thread: a {@link DecodeEngine}
 * with one sequence, one step in flight and nothing shared.
 *
 * <p>The prompt is prefilled in chunks of rows by plain launches. Each token after that is one
 * replay of the step captured for the smallest bucket that fits; the sampled token and the next
 * position are fed back on the device. One thread at a time.
 */
public final class DecodeLoop implements AutoCloseable {

  private static final String ADAPTER = "the adapter of the loop";

  private final DecodeEngine engine;
  private final DecodeOptions options;
  private final DecodeModel model;
  private @Nullable AdapterLease adapter;

  private DecodeLoop(DecodeEngine engine, DecodeModel model, DecodeOptions options) {
    this.engine = engine;
    this.model = model;
    this.options = options;
  }

  /**
   * Allocates everything that steps need; nothing is allocated on the device after that. The model
   * is not closed with the loop.
   */
  public static DecodeLoop create(Device device, DecodeModel model, DecodeOptions options) {
    return create(device, model, options, AdapterOptions.NONE);
  }

  /**
   * As {@link #create(Device, DecodeModel, DecodeOptions)}.
   *
   * @param adapters room for the one of {@link #useAdapter}
   */
  public static DecodeLoop create(
      Device device, DecodeModel model, DecodeOptions options, AdapterOptions adapters) {
    EngineOptions engine = EngineOptions.serial(options).withAdapters(adapters);
    return new DecodeLoop(DecodeEngine.create(device, model, engine), model, options);
  }

  /**
   * Loads an adapter, which all generations from now on use.
   *
   * @throws dev.reprise.graph.adapter.AdapterException if it does not fit the model, if there is no
   *     room for one, or if one is in use
   */
  public void useAdapter(AdapterWeights weights) {
    engine.loadAdapter(ADAPTER, weights);
    adapter = engine.adapters().lease(ADAPTER);
  }

  /**
   * Generates up to {@code maxTokens} tokens after a prompt.
   *
   * @param prompt token ids, at least one
   * @param stopTokens ends the generation when one of them is sampled
   * @param listener told each token as soon as the host knows it
   * @throws IllegalArgumentException if the prompt is empty, holds an id outside the vocabulary, or
   *     leaves no room in the context
   * @throws dev.reprise.graph.schedule.RequestRefusedException if the KV pool is too small for it
   */
  public Generation generate(
      int[] prompt,
      SamplingParameters sampling,
      int maxTokens,
      Set<Integer> stopTokens,
      TokenListener listener) {
    engine.checkPrompt(prompt);
    if (maxTokens < 1) {
      throw new IllegalArgumentException("At least one token must be asked for: " + maxTokens);
    }
    int maxLength = engine.maxLength(prompt.length, maxTokens);
    Run run = new Run(listener, maxLength - prompt.length);
    DecodeSequence sequence =
        new DecodeSequence(
            "the generation",
            prompt,
            maxLength,
            sampling,
            stopTokens,
            Priority.NORMAL,
            "",
            Long.MAX_VALUE,
            run,
            adapter);
    engine.submit(sequence);
    try {
      while (run.finish == null) {
        engine.turn(0);
      }
    } finally {
      engine.cancel(sequence);
    }
    return run.result(prompt.length);
  }

  /** One generation. */
  private final class Run implements SequenceListener {

    private final TokenListener listener;
    private final int[] tokens;
    private final long start = System.nanoTime();
    private int count;
    private long firstToken;
    private long captureBefore;
    private long stepsBefore;
    private long end;
    private @Nullable FinishReason finish;
    private @Nullable RuntimeException failure;

    Run(TokenListener listener, int most) {
      this.listener = listener;
      this.tokens = new int[most];
    }

    @Override
    public boolean onToken(int token) {
      sampled();
      tokens[count++] = token;
      return listener.onToken(token);
    }

    /** The first sampled token parts the prefill from the decode steps, also if it stops. */
    private void sampled() {
      if (firstToken == 0) {
        firstToken = System.nanoTime();
        captureBefore = engine.runner().captureNanos();
        stepsBefore = decodeSteps();
      }
    }

    private long decodeSteps() {
      DecodeStatistics statistics = statistics();
      return statistics.eagerSteps() + statistics.replays();
    }

    @Override
    public void onEnd(FinishReason reason, @Nullable RuntimeException what) {
      sampled();
      end = System.nanoTime();
      finish = reason;
      failure = what;
    }

    Generation result(int promptLength) {
      if (failure != null) {
        throw failure;
      }
      return new Generation(
          promptLength,
          Arrays.copyOf(tokens, count),
          switch (finish) {
            case STOP -> Generation.FinishReason.STOP;
            case LENGTH -> Generation.FinishReason.LENGTH;
            case CANCELLED -> Generation.FinishReason.CANCELLED;
            case null, default ->
                throw new IllegalStateException("The generation cannot have ended by " + finish);
          },
          firstToken - start,
          end - firstToken,
          engine.runner().captureNanos() - captureBefore,
          Math.toIntExact(decodeSteps() - stepsBefore));
    }
  }

  /** The logits of a row of the last step, copied to the host. */
  public float[] logits(int logitRow) {
    return engine.logits(logitRow);
  }

  /** Counters since the loop was created. */
  public DecodeStatistics statistics() {
    return engine.runner().statistics();
  }

  @Override
  public void close() {
    engine.close();
  }

  @Override
  public String toString() {
    return "DecodeLoop[" + model.info().name() + ", " + options + "]";
  }
}
