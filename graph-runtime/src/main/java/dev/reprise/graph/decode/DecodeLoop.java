package dev.reprise.graph.decode;

import dev.reprise.cuda.Device;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.kv.KvSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Generates the continuation of one prompt at a time.
 *
 * <p>The prompt is prefilled in chunks of rows by plain launches. Each token after that is one
 * replay of the step captured for the smallest bucket that fits; the sampled token and the next
 * position are fed back on the device. One thread at a time.
 */
public final class DecodeLoop implements AutoCloseable {

  private static final int ROW = 0;
  private static final int TABLE = 0;

  private final StepRunner runner;
  private final DecodeModel model;
  private final DecodeOptions options;
  private final BucketSet prefillBuckets;

  private DecodeLoop(StepRunner runner, DecodeModel model, DecodeOptions options) {
    this.runner = runner;
    this.model = model;
    this.options = options;
    this.prefillBuckets = StepRunner.prefillBuckets(options);
  }

  /**
   * Allocates everything that steps need; nothing is allocated on the device after that. The model
   * is not closed with the loop.
   */
  public static DecodeLoop create(Device device, DecodeModel model, DecodeOptions options) {
    return new DecodeLoop(StepRunner.create(device, model, options, 1), model, options);
  }

  /**
   * Generates up to {@code maxTokens} tokens after a prompt.
   *
   * @param prompt token ids, at least one
   * @param stopTokens ends the generation when one of them is sampled
   * @param listener told each token as soon as the host knows it
   * @throws IllegalArgumentException if the prompt is empty, holds an id outside the vocabulary, or
   *     leaves no room in the context
   */
  public Generation generate(
      int[] prompt,
      SamplingParameters sampling,
      int maxTokens,
      Set<Integer> stopTokens,
      TokenListener listener) {
    check(prompt, maxTokens);
    try (KvSequence sequence = runner.kv().newSequence();
        Drain drain = runner::drain) {
      return new Run(sequence, sampling, maxTokens, stopTokens, listener).generate(prompt);
    }
  }

  /**
   * Waits for the steps in flight when it is closed, so that the blocks they read go back to the
   * pool after them. As a resource its failure never hides an earlier one.
   */
  @FunctionalInterface
  private interface Drain extends AutoCloseable {
    @Override
    void close();
  }

  private void check(int[] prompt, int maxTokens) {
    ModelInfo info = model.info();
    int context = Math.min(info.maxContext(), options.buckets().maxContext());
    if (prompt.length == 0) {
      throw new IllegalArgumentException("The prompt has no tokens");
    }
    if (prompt.length >= context) {
      throw new IllegalArgumentException(
          "The prompt has %d tokens; the context of %d leaves room for at most %d"
              .formatted(prompt.length, context, context - 1));
    }
    for (int token : prompt) {
      if (token < 0 || token >= info.vocabulary()) {
        throw new IllegalArgumentException(
            "Token %d is outside the vocabulary of %d".formatted(token, info.vocabulary()));
      }
    }
    if (maxTokens < 1) {
      throw new IllegalArgumentException("At least one token must be asked for: " + maxTokens);
    }
  }

  /** One generation. */
  private final class Run {

    private final KvSequence sequence;
    private final SamplingParameters sampling;
    private final int maxTokens;
    private final Set<Integer> stopTokens;
    private final TokenListener listener;
    private final List<Integer> tokens = new ArrayList<>();
    private final StaticInputs inputs = runner.inputs();

    Run(
        KvSequence sequence,
        SamplingParameters sampling,
        int maxTokens,
        Set<Integer> stopTokens,
        TokenListener listener) {
      this.sequence = sequence;
      this.sampling = sampling;
      this.maxTokens = maxTokens;
      this.stopTokens = stopTokens;
      this.listener = listener;
    }

    Generation generate(int[] prompt) {
      long start = System.nanoTime();
      int token = prefill(prompt);
      long prefilled = System.nanoTime();
      long capturedBefore = runner.captureNanos();
      int position = prompt.length;
      int steps = 0;
      Generation.FinishReason finish = accept(token, position);
      if (finish == null) {
        beginDecode(token, position);
      }
      while (finish == null) {
        token = decode(position);
        steps++;
        position++;
        finish = accept(token, position);
      }
      long end = System.nanoTime();
      return new Generation(
          prompt.length,
          tokens.stream().mapToInt(Integer::intValue).toArray(),
          finish,
          prefilled - start,
          end - prefilled,
          runner.captureNanos() - capturedBefore,
          steps);
    }

    /** Takes a sampled token; a reason ends the generation. */
    private Generation.@org.jspecify.annotations.Nullable FinishReason accept(
        int token, int position) {
      if (stopTokens.contains(token)) {
        return Generation.FinishReason.STOP;
      }
      tokens.add(token);
      if (!listener.onToken(token)) {
        return Generation.FinishReason.CANCELLED;
      }
      int context = Math.min(model.info().maxContext(), options.buckets().maxContext());
      return tokens.size() == maxTokens || position == context
          ? Generation.FinishReason.LENGTH
          : null;
    }

    private int prefill(int[] prompt) {
      for (int from = 0; from < prompt.length; from += options.prefillRows()) {
        int to = Math.min(prompt.length, from + options.prefillRows());
        boolean last = to == prompt.length;
        int rows = to - from;
        if (sequence.reserve(to - 1)) {
          inputs.setBlockTable(TABLE, sequence);
        }
        for (int row = 0; row < rows; row++) {
          inputs.set(RowInput.TOKENS, row, prompt[from + row]);
          inputs.set(RowInput.POSITIONS, row, from + row);
          inputs.set(RowInput.SEQUENCES, row, TABLE);
        }
        int logitRows = last ? 1 : 0;
        if (last) {
          setSampling(rows - 1);
        }
        Bucket bucket = bucket(prefillBuckets, rows, to);
        inputs.pad(rows, bucket.rows(), logitRows, logitRows);
        runner.prefill(new StepShape(bucket, logitRows), rows);
      }
      runner.complete();
      return runner.sampled(ROW);
    }

    private void setSampling(int row) {
      inputs.set(RowInput.LOGIT_ROWS, ROW, row);
      inputs.set(RowInput.TEMPERATURE, ROW, sampling.temperature());
      inputs.set(RowInput.TOP_K, ROW, sampling.topK());
      inputs.set(RowInput.TOP_P, ROW, sampling.topP());
      inputs.set(RowInput.MIN_P, ROW, sampling.minP());
      inputs.set(RowInput.SEEDS, ROW, sampling.seed());
    }

    /** Sets the row inputs once; from here on the device advances them. */
    private void beginDecode(int token, int position) {
      inputs.set(RowInput.TOKENS, ROW, token);
      inputs.set(RowInput.POSITIONS, ROW, position);
      inputs.set(RowInput.SEQUENCES, ROW, TABLE);
      setSampling(ROW);
      int rows = bucket(options.buckets(), 1, position + 1).rows();
      inputs.pad(1, rows, 1, rows);
    }

    private int decode(int position) {
      if (sequence.reserve(position)) {
        inputs.setBlockTable(TABLE, sequence);
      }
      sequence.check();
      Bucket bucket = bucket(options.buckets(), 1, position + 1);
      runner.decode(new StepShape(bucket, bucket.rows()), 1, options.eager());
      runner.complete();
      return runner.sampled(ROW);
    }

    private Bucket bucket(BucketSet buckets, int rows, int positions) {
      return buckets
          .smallest(rows, positions)
          .orElseThrow(() ->
              new IllegalStateException(
                  "No bucket of %s fits %d rows and %d positions"
                      .formatted(buckets, rows, positions)));
    }
  }

  /** The logits of a row of the last step, copied to the host. */
  public float[] logits(int logitRow) {
    return runner.logits(logitRow);
  }

  /** Counters since the loop was created. */
  public DecodeStatistics statistics() {
    return runner.statistics();
  }

  @Override
  public void close() {
    runner.close();
  }

  @Override
  public String toString() {
    return "DecodeLoop[" + model.info().name() + ", " + options + "]";
  }
}
