package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.adapter.AdapterProjection;
import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.adapter.LowRankWeights;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.host.DecodeHost;
import dev.reprise.graph.host.Request;
import dev.reprise.graph.host.RequestHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Adapters on the products of a real model: each request as alone, in any mix. */
class AdaptersTest {

  private static final int TOKENS = 12;
  private static final AdapterOptions ROOM = new AdapterOptions(2, 4);

  private static AdapterWeights random(LlamaModel model, long seed, String part) {
    Random random = new Random(seed);
    Map<String, LowRankWeights> parts = new HashMap<>();
    for (AdapterProjection p : model.adapterProjections()) {
      if (p.name().endsWith(part)) {
        parts.put(
            p.name(),
            new LowRankWeights(
                4, 0.5f, gaussian(random, 4 * p.in()), gaussian(random, p.out() * 4)));
      }
    }
    return new AdapterWeights(parts);
  }

  private static float[] gaussian(Random random, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextGaussian() * 0.2f;
    }
    return values;
  }

  /** Steps over prompts are captured on the way, once they came twice. */
  private static long decodeCaptures(DecodeHost host) {
    return host.metrics().graphs().costs().keySet().stream()
        .filter(shape -> !shape.prefill())
        .count();
  }

  @Test
  void eachPartOfALayerCanHaveOneAndMixesAreAsAlone() throws InterruptedException {
    try (TinyStories stories = TinyStories.f16()) {
      int[] prompt = Golden.cases().getFirst().promptIds();
      DecodeOptions decode =
          new DecodeOptions(BucketSet.of(List.of(3), List.of(512)), 8, 64, false);
      EngineOptions serving = EngineOptions.serving(decode).withAdapters(ROOM);
      EngineOptions eager =
          EngineOptions.serial(decode.withEager(true)).withAdapters(ROOM).withMaxWaiting(4);
      Request plain = Request.greedy(prompt, TOKENS);
      try (DecodeHost alone = DecodeHost.start(stories.device, stories.model, eager);
          DecodeHost host = DecodeHost.start(stories.device, stories.model, serving)) {
        host.warmUp();
        long captures = decodeCaptures(host);
        int[] without = alone.submit(plain).await().tokens();
        for (String part : List.of("attn_qkv", "attn_output", "ffn_gate_up", "ffn_down")) {
          AdapterWeights weights = random(stories.model, 9, part);
          List<RequestHandle> mix = new ArrayList<>();
          alone.adapters().load(part, weights);
          host.adapters().load(part, weights);
          int[] wanted = alone.submit(plain.withAdapter(part)).await().tokens();
          assertThat(wanted).as("with %s", part).isNotEqualTo(without);
          mix.add(host.submit(plain.withAdapter(part)));
          mix.add(host.submit(plain));
          mix.add(host.submit(plain.withAdapter(part)));
          assertThat(mix.get(0).await().tokens()).as("with %s", part).isEqualTo(wanted);
          assertThat(mix.get(1).await().tokens()).as("beside %s", part).isEqualTo(without);
          assertThat(mix.get(2).await().tokens()).as("with %s", part).isEqualTo(wanted);
          alone.adapters().unload(part);
          host.adapters().unload(part);
        }
        assertThat(decodeCaptures(host)).isEqualTo(captures);
        assertThat(host.metrics().steps().eagerSteps()).isZero();
      }
    }
  }
}
