package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeStatistics;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.decode.StepShape;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Over how many blocks attention is spread is decided for each bucket and changes no bit. */
class SplitAttentionTest {

  /** Ends beyond the first segment of 256 positions. */
  private static final int PROMPT = 250;

  private static final int TOKENS = 16;

  private static TinyStories stories;
  private static int[] prompt;

  @BeforeAll
  static void open() {
    stories = TinyStories.f32();
    int[] story = Golden.cases().getFirst().promptIds();
    prompt = new int[PROMPT];
    for (int i = 0; i < PROMPT; i++) {
      prompt[i] = story[i % story.length];
    }
  }

  @AfterAll
  static void close() {
    stories.close();
  }

  /** Logits of the last step and tokens of one run. */
  private record Run(int[] tokens, float[] logits, DecodeStatistics statistics) {}

  private static Run run(BucketSet buckets) {
    try (DecodeLoop loop = stories.loop(stories.options().withBuckets(buckets))) {
      int[] tokens = TinyStories.tokens(loop, prompt, SamplingParameters.greedy(), TOKENS);
      return new Run(tokens, loop.logits(0), loop.statistics());
    }
  }

  private static BucketSet buckets(Bucket... replayed) {
    return BucketSet.of(List.of(replayed), List.of());
  }

  @Test
  void aGenerationThatCrossesABucketTakesEachBucketsSplitsAndKeepsItsBits() {
    Run whole = run(buckets(new Bucket(1, 512, 1)));
    Run split = run(buckets(new Bucket(1, 256, 1), new Bucket(1, 512, 2)));
    assertThat(split.tokens).hasSize(TOKENS).isEqualTo(whole.tokens);
    assertThat(split.logits).isEqualTo(whole.logits);
    assertThat(split.statistics.eagerSteps()).isZero();
    assertThat(split.statistics.decodeCaptures().keySet())
        .extracting(StepShape::bucket)
        .containsExactly(new Bucket(1, 256, 1), new Bucket(1, 512, 2));
    // A launch more in each layer.
    assertThat(nodes(split, new Bucket(1, 512, 2)))
        .isEqualTo(nodes(split, new Bucket(1, 256, 1)) + stories.model.config().layers());
  }

  private static int nodes(Run run, Bucket bucket) {
    return run.statistics.captures().entrySet().stream()
        .filter(entry -> entry.getKey().bucket().equals(bucket))
        .mapToInt(entry -> entry.getValue().nodes())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eagerCellsAreLeftWhereTheyEndAndSplitAsTheySay() {
    Run whole = run(buckets(new Bucket(1, 512, 1)));
    BucketSet set =
        BucketSet.of(
            List.of(new Bucket(1, 256), new Bucket(1, 512)), List.of(new Bucket(1, 260, 2)));
    Run mixed = run(set);
    assertThat(mixed.tokens).isEqualTo(whole.tokens);
    assertThat(mixed.logits).isEqualTo(whole.logits);
    // The prompt gives the first token; its 250 positions leave 6 steps to 256, then 4 eager ones.
    assertThat(mixed.statistics.eagerSteps()).isEqualTo(4);
    assertThat(mixed.statistics.replays()).isEqualTo(TOKENS - 1 - 4);
  }

  @Test
  void whatABucketLeavesOpenFollowsItsOwnContext() {
    // However many multiprocessors there are, 256 positions are one segment.
    assertThat(stories.model.attentionSplits(new Bucket(1, 256))).isEqualTo(1);
    assertThat(stories.model.attentionSplits(new Bucket(1, 512, 2))).isEqualTo(2);
    assertThat(Arrays.asList(1, 2)).contains(stories.model.attentionSplits(new Bucket(1, 512)));
  }
}
