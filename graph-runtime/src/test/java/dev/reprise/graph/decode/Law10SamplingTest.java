package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 10: a sampled token depends on prompt, parameters, seed and position, not on batch, bucket,
 * chunk, graph or eager.
 */
class Law10SamplingTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int TOKENS = 30;
  private static final int[] PROMPT = Toy.prompt(new Random(5), 13);

  private static int[] tokens(DecodeOptions options, SamplingParameters sampling) {
    try (DecodeLoop loop = DecodeLoop.create(TOY.device(), TOY.model(), options)) {
      return loop.generate(PROMPT, sampling, TOKENS, Set.of(), token -> true).tokens();
    }
  }

  @Test
  void bucketsChunksAndReplaysGiveTheSameTokens() {
    SamplingParameters sampling = Toy.sampling(11);
    int[] alone = TOY.alone(PROMPT, sampling, TOKENS, Set.of());
    for (int rows : new int[] {1, 2, 3, 8}) {
      for (int chunk : new int[] {1, 5, 16}) {
        for (boolean eager : new boolean[] {false, true}) {
          DecodeOptions options =
              new DecodeOptions(
                  BucketSet.of(List.of(rows), List.of(ToyModel.CONTEXT)), chunk, 20, eager);
          assertThat(tokens(options, sampling)).as("%s", options).isEqualTo(alone);
        }
      }
    }
  }

  @Test
  void anotherSeedAndAnotherParameterGiveOtherTokens() {
    int[] alone = tokens(Toy.options(), Toy.sampling(11));
    assertThat(tokens(Toy.options(), Toy.sampling(12))).isNotEqualTo(alone);
    assertThat(tokens(Toy.options(), SamplingParameters.greedy())).isNotEqualTo(alone);
  }
}
