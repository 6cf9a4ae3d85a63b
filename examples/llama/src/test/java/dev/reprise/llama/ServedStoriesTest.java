package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.autotune.AutotuneOptions;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.host.Completion;
import dev.reprise.graph.host.DecodeHost;
import dev.reprise.graph.host.Request;
import dev.reprise.graph.host.RequestHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The decode host serves the golden prompts at the same time, each with its golden tokens. */
class ServedStoriesTest {

  private static final int EOS = 1;
  private static final int MOST = 40;

  @Test
  void aHostThatChoseKernelVariantsGivesTheGoldenTokens(@TempDir Path folder)
      throws InterruptedException {
    Golden.Case golden = Golden.cases().getFirst();
    DecodeOptions decode = new DecodeOptions(BucketSet.of(List.of(1), List.of(64)), 1, 8, false);
    AutotuneOptions variants =
        new AutotuneOptions(Optional.of(folder), Duration.ofMinutes(5), 1, 0.03, 1 << 24);
    try (TinyStories stories = TinyStories.f32();
        DecodeHost host =
            DecodeHost.start(
                stories.device, stories.model, EngineOptions.serving(decode), variants)) {
      Completion end = host.submit(Request.greedy(golden.promptIds(), 8)).await();
      assertThat(end.tokens()).isEqualTo(Arrays.copyOf(golden.continuation(), 8));
      assertThat(host.metrics().variants().choices()).isPositive();
      assertThat(host.metrics().variants().standard()).as("every shape was warmed up").isZero();
      assertThat(folder).isNotEmptyDirectory();
    }
  }

  @Test
  void promptsServedTogetherGiveTheirGoldenTokensWithFewBlocksAndSharedPrefixes()
      throws InterruptedException {
    List<Golden.Case> cases = Golden.cases().subList(0, 5);
    try (TinyStories stories = TinyStories.f32()) {
      DecodeOptions decode =
          new DecodeOptions(BucketSet.of(List.of(2, 4), List.of(512)), 16, 14, false);
      EngineOptions options = EngineOptions.serving(decode).withCheckedKv(true);
      try (DecodeHost host = DecodeHost.start(stories.device, stories.model, options)) {
        assertThat(host.warmUp()).isEqualTo(2);
        List<RequestHandle> handles = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
          for (Golden.Case golden : cases) {
            handles.add(
                host.submit(Request.greedy(golden.promptIds(), MOST).withStopTokens(Set.of(EOS))));
          }
        }
        for (int i = 0; i < handles.size(); i++) {
          Golden.Case golden = cases.get(i % cases.size());
          Completion end = handles.get(i).await();
          int[] wanted =
              Arrays.stream(golden.continuation()).limit(MOST).takeWhile(t -> t != EOS).toArray();
          assertThat(end.tokens()).as("%s: %s", golden, end).isEqualTo(wanted);
          assertThat(end.reason()).isIn(FinishReason.LENGTH, FinishReason.STOP);
        }
        DecodeMetrics metrics = host.metrics();
        assertThat(metrics.steps().eagerSteps()).isZero();
        assertThat(metrics.steps().replays()).isPositive();
        assertThat(metrics.kv().available()).isEqualTo(metrics.kv().blocks());
      }
    }
  }
}
