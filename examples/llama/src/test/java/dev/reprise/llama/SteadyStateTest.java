package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Between block boundaries a decode step takes nothing from the host: tokens are fed back. */
class SteadyStateTest {

  private static final int BLOCK = 16;

  @Test
  void inputsAreUploadedOnlyWhereASequenceGetsABlock() {
    int[] prompt = Golden.cases().getFirst().promptIds();
    try (TinyStories stories = TinyStories.f32();
        DecodeLoop loop = stories.loop(stories.options())) {
      List<Long> uploaded = new ArrayList<>();
      loop.generate(
          prompt,
          SamplingParameters.greedy(),
          60,
          Set.of(),
          token -> uploaded.add(loop.statistics().uploadedBytes()));
      // The first token comes from the prefill, the second from the step that begins the decode.
      for (int i = 2; i < uploaded.size(); i++) {
        int position = prompt.length + i - 1;
        long bytes = uploaded.get(i) - uploaded.get(i - 1);
        if (position % BLOCK == 0) {
          assertThat(bytes).as("a block table, at position %d", position).isPositive();
        } else {
          assertThat(bytes).as("nothing, at position %d", position).isZero();
        }
      }
    }
  }
}
