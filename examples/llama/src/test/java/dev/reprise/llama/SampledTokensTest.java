package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sampled tokens depend on prompt, parameters and seed, not on how the step is run. */
class SampledTokensTest {

  private static final int TOKENS = 40;
  private static final SamplingParameters SAMPLING =
      new SamplingParameters(1.2f, 60, 0.98f, 0.001f, 20_261);

  private static TinyStories stories;
  private static int[] prompt;
  private static int[] expected;

  @BeforeAll
  static void open() {
    stories = TinyStories.f32();
    prompt = Golden.cases().getFirst().promptIds();
    expected = tokens(stories.options(), SAMPLING);
  }

  @AfterAll
  static void close() {
    stories.close();
  }

  private static int[] tokens(DecodeOptions options, SamplingParameters sampling) {
    try (DecodeLoop loop = stories.loop(options)) {
      return TinyStories.tokens(loop, prompt, sampling, TOKENS);
    }
  }

  @Test
  void eagerStepsGiveTheSameTokens() {
    assertThat(tokens(stories.options().withEager(true), SAMPLING)).isEqualTo(expected);
  }

  @Test
  void everyBucketGivesTheSameTokens() {
    for (int rows : new int[] {2, 3, 4, 8}) {
      DecodeOptions options =
          stories.options().withBuckets(BucketSet.of(List.of(rows), List.of(512)));
      assertThat(tokens(options, SAMPLING)).as("bucket of %d rows", rows).isEqualTo(expected);
    }
  }

  @Test
  void crossingContextBucketsGivesTheSameTokensWithOneCaptureEach() {
    DecodeOptions options =
        stories.options().withBuckets(BucketSet.of(List.of(1), List.of(16, 32, 512)));
    try (DecodeLoop loop = stories.loop(options)) {
      assertThat(TinyStories.tokens(loop, prompt, SAMPLING, TOKENS)).isEqualTo(expected);
      assertThat(loop.statistics().captures().keySet())
          .extracting(shape -> shape.bucket().context())
          .containsExactly(16, 32, 512);
      assertThat(loop.statistics().eagerSteps()).isZero();
    }
  }

  @Test
  void everyPrefillChunkGivesTheSameTokens() {
    for (int rows : new int[] {1, 4, 5}) {
      DecodeOptions o = stories.options();
      DecodeOptions options = new DecodeOptions(o.buckets(), rows, o.kvBlocks(), o.eager());
      assertThat(tokens(options, SAMPLING)).as("chunks of %d rows", rows).isEqualTo(expected);
    }
  }

  @Test
  void anotherSeedGivesOtherTokens() {
    Set<List<Integer>> stories = new LinkedHashSet<>();
    for (long seed = 0; seed < 4; seed++) {
      int[] tokens =
          tokens(
              SampledTokensTest.stories.options(),
              new SamplingParameters(1.2f, 60, 0.98f, 0, seed));
      stories.add(IntStream.of(tokens).boxed().toList());
    }
    assertThat(stories).hasSizeGreaterThan(1);
  }
}
