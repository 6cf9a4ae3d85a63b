package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeStatistics;
import dev.reprise.graph.decode.Generation;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Greedy decoding of the f32 model gives the golden tokens and logits, replayed and eager. */
class GoldenTokensTest {

  private static final int EOS = 1;
  private static final double LOGIT_TOLERANCE = 1e-4;

  private static TinyStories stories;

  @BeforeAll
  static void open() {
    stories = TinyStories.f32();
  }

  @AfterAll
  static void close() {
    stories.close();
  }

  static List<Golden.Case> cases() {
    return Golden.cases();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void replayedTokensAndLogitsAreTheGoldenOnes(Golden.Case golden) {
    try (DecodeLoop loop = stories.loop(stories.options())) {
      check(golden, loop);
      DecodeStatistics statistics = loop.statistics();
      assertThat(statistics.eagerSteps()).isZero();
      assertThat(statistics.replays()).isEqualTo(golden.continuation().length - 1);
      assertThat(statistics.decodeCaptures()).hasSize(bucketsUsed(golden));
      assertThat(statistics.captureFailures()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void eagerTokensAndLogitsAreTheGoldenOnes(Golden.Case golden) {
    try (DecodeLoop loop = stories.loop(stories.options().withEager(true))) {
      check(golden, loop);
      DecodeStatistics statistics = loop.statistics();
      assertThat(statistics.replays()).isZero();
      assertThat(statistics.captures()).isEmpty();
      assertThat(statistics.eagerSteps()).isEqualTo(golden.continuation().length - 1);
    }
  }

  @Test
  void oneLoopServesAllPromptsWithTheGraphsOfTheFirst() {
    try (DecodeLoop loop = stories.loop(stories.options())) {
      for (Golden.Case golden : cases()) {
        // What is left of an earlier prompt would show at once.
        check(golden, loop, 24);
      }
      assertThat(loop.statistics().decodeCaptures()).hasSize(1);
      assertThat(loop.statistics().eagerSteps()).isZero();
    }
  }

  private static int bucketsUsed(Golden.Case golden) {
    int last = golden.promptIds().length + golden.continuation().length - 1;
    return last <= 256 || golden.promptIds().length >= 256 ? 1 : 2;
  }

  private static void check(Golden.Case golden, DecodeLoop loop) {
    check(golden, loop, 64);
  }

  private static void check(Golden.Case golden, DecodeLoop loop, int most) {
    List<Integer> wanted = Arrays.stream(golden.continuation()).limit(most).boxed().toList();
    boolean stops = wanted.contains(EOS);
    List<Integer> tokens = new ArrayList<>();
    Generation generation =
        loop.generate(
            golden.promptIds(),
            SamplingParameters.greedy(),
            most,
            Set.of(EOS),
            token -> {
              checkLogits(golden, tokens.size(), loop.logits(0));
              tokens.add(token);
              return true;
            });
    if (stops) {
      checkLogits(golden, tokens.size(), loop.logits(0));
      tokens.add(EOS);
    }
    assertThat(tokens).containsExactlyElementsOf(wanted);
    assertThat(generation.finish())
        .isEqualTo(stops ? Generation.FinishReason.STOP : Generation.FinishReason.LENGTH);
  }

  private static void checkLogits(Golden.Case golden, int step, float[] logits) {
    for (Golden.Logit wanted : golden.top5().get(step)) {
      assertThat((double) logits[wanted.token()])
          .as("logit of token %d at step %d", wanted.token(), step)
          .isCloseTo(wanted.value(), within(LOGIT_TOLERANCE));
    }
  }
}
