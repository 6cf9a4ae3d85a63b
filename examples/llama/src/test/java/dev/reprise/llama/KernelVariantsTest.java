package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.autotune.Autotuner;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeEngine;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import dev.reprise.kernels.variant.VariantTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A model whose kernels all run other variants than the standard ones gives the same bits. */
class KernelVariantsTest {

  private static final int TOKENS = 24;

  private record Run(int[] tokens, float[] logits) {}

  private static Run run(TinyStories stories, DecodeOptions options, int[] prompt) {
    try (DecodeLoop loop = stories.loop(options)) {
      return new Run(
          TinyStories.tokens(loop, prompt, SamplingParameters.greedy(), TOKENS), loop.logits(0));
    }
  }

  private static KernelVariant last(Kernels kernels, TunableShape shape) {
    List<? extends KernelVariant> variants =
        switch (shape) {
          case TunableShape.Product product -> kernels.matMul().variants(product);
          case TunableShape.Attention attention -> kernels.attention().variants(attention);
          case TunableShape.Gate gate -> kernels.activation().variants(gate);
        };
    return variants.getLast();
  }

  @Test
  void tokensAndLogitsAreTheSameAndTheMetricsSayWhatRan() {
    Golden.Case golden = Golden.cases().getFirst();
    BucketSet buckets = BucketSet.of(List.of(new Bucket(1, 512)), List.of());
    Run standard;
    String signature;
    try (TinyStories stories = TinyStories.f32()) {
      standard = run(stories, stories.options().withBuckets(buckets), golden.promptIds());
      signature = stories.model.kernels().signature();
    }
    assertThat(golden.continuation()).startsWith(standard.tokens);
    try (TinyStories stories = TinyStories.f32()) {
      DecodeOptions options = stories.options().withBuckets(buckets);
      Kernels kernels = stories.model.kernels();
      Map<TunableShape, KernelVariant> other = new LinkedHashMap<>();
      for (TunableShape shape : Autotuner.shapes(stories.model, options)) {
        other.put(shape, last(kernels, shape));
      }
      kernels.use(VariantTable.of(other).withProblem("a file was in the way"));
      Run varied = run(stories, options, golden.promptIds());
      assertThat(varied.tokens).isEqualTo(standard.tokens);
      assertThat(varied.logits).isEqualTo(standard.logits);
      assertThat(kernels.signature()).isNotEqualTo(signature);

      try (DecodeEngine engine =
          DecodeEngine.create(stories.device, stories.model, EngineOptions.serial(options))) {
        DecodeMetrics.VariantMetrics metrics = engine.metrics().variants();
        assertThat(metrics.choices()).isEqualTo(other.size());
        assertThat(metrics.chosen()).isPositive();
        assertThat(metrics.standard()).as("every shape was warmed up").isZero();
        assertThat(metrics.problem()).isEqualTo("a file was in the way");
      }
    }
  }
}
