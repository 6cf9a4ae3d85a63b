package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.sanitizer.Report;
import dev.reprise.softgpu.simulation.SimulationSession;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The golden tokens under seeded schedules, replayed and eager. {@code
 * -Dreprise.simulation.seeds=200} tries more seeds.
 */
class SimulatedStoriesTest {

  private static final int TOKENS = 6;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Integer.getInteger("reprise.simulation.seeds", 2));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void tokensAreTheGoldenOnes(long seed) {
    // Opening a device loads the driver where this is the first test of the process.
    try (TinyStories before = TinyStories.f32()) {
      assertThat(before.device.name()).isNotEmpty();
    }
    SoftwareDriver driver = SoftwareDriver.ofProcess().orElseThrow();
    Golden.Case golden = Golden.cases().get((int) (seed % 3));
    try (SimulationSession session = driver.simulation().begin(seed);
        TinyStories stories = TinyStories.f32();
        DecodeLoop loop = stories.loop(stories.options().withEager(seed % 2 == 0))) {
      int[] tokens =
          TinyStories.tokens(loop, golden.promptIds(), SamplingParameters.greedy(), TOKENS);
      assertThat(tokens)
          .as("seed %d", seed)
          .isEqualTo(Arrays.copyOf(golden.continuation(), TOKENS));
      assertThat(session.order()).isNotEmpty();
    }
    assertThat(driver.sanitizer().reports()).as("seed %d", seed).extracting(Report::text).isEmpty();
  }
}
