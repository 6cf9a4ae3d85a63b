package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The f16 file. Its weights are widened exactly and everything else is f32, so its tokens are those
 * that float64 arithmetic gives with the same weights; against the f32 weights its logits differ by
 * the rounding of the weights, which is bounded here.
 */
class HalfPrecisionModelTest {

  private static final int EOS = 1;

  /** Rounding weights to f16 moves logits of this model, up to 28 in size, by less than this. */
  private static final double LOGIT_TOLERANCE = 0.05;

  @Test
  void tokensAreThoseOfItsWeightsInFloat64() {
    List<Golden.Case> cases = Golden.cases();
    List<int[]> continuations = Golden.continuations("f16");
    try (TinyStories stories = TinyStories.f16();
        DecodeLoop loop = stories.loop(stories.options())) {
      for (int i = 0; i < cases.size(); i++) {
        Golden.Case golden = cases.get(i);
        List<Integer> tokens = new ArrayList<>();
        loop.generate(
            golden.promptIds(),
            SamplingParameters.greedy(),
            64,
            Set.of(),
            token -> {
              int step = tokens.size();
              if (step < golden.top5().size() && agrees(golden, tokens)) {
                float[] logits = loop.logits(0);
                for (Golden.Logit wanted : golden.top5().get(step)) {
                  assertThat((double) logits[wanted.token()])
                      .isCloseTo(wanted.value(), within(LOGIT_TOLERANCE));
                }
              }
              tokens.add(token);
              return token != EOS;
            });
        assertThat(tokens)
            .as("%s", golden)
            .containsExactlyElementsOf(Arrays.stream(continuations.get(i)).boxed().toList());
      }
      assertThat(loop.statistics().eagerSteps()).isZero();
    }
  }

  /** Logits can be compared only while the tokens before them are the same. */
  private static boolean agrees(Golden.Case golden, List<Integer> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i) != golden.continuation()[i]) {
        return false;
      }
    }
    return true;
  }
}
