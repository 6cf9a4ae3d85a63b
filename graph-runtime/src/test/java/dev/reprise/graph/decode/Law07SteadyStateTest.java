package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 7: between block boundaries a step is one graph launch and nothing is copied to the device.
 */
class Law07SteadyStateTest {

  @RegisterExtension static final Toy TOY = new Toy();

  @Test
  void inputsAreUploadedOnlyWhereASequenceGetsABlock() {
    EngineOptions options = Toy.serving(40).withInFlight(1).withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      int[] prompt = Toy.prompt(new Random(2), 5);
      Recorded a = Recorded.submit(engine, "a", prompt, Toy.sampling(1), 60);
      while (a.tokens.size() < 2) {
        engine.turn(0);
      }
      int boundaries = 0;
      while (a.reason == null) {
        int position = prompt.length + a.tokens.size() - 1;
        StepMetrics before = engine.metrics().steps();
        engine.turn(0);
        StepMetrics after = engine.metrics().steps();
        long uploaded = after.uploadedBytes() - before.uploadedBytes();
        if (position % ToyModel.BLOCK == 0) {
          boundaries++;
          assertThat(uploaded).as("a block table, at position %d", position).isPositive();
        } else {
          assertThat(uploaded).as("nothing, at position %d", position).isZero();
        }
        assertThat(after.replays() - before.replays()).isEqualTo(1);
        assertThat(after.eagerSteps() + after.prefills())
            .isEqualTo(before.eagerSteps() + before.prefills());
      }
      assertThat(boundaries).isEqualTo(3);
    }
  }

  @Test
  void rowsThatGoOnAreNotTouchedWhenOthersComeAndGo() {
    EngineOptions options = Toy.serving(40).withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      int[] prompt = Toy.prompt(new Random(2), 5);
      Recorded a = Recorded.submit(engine, "a", prompt, Toy.sampling(1), 60);
      for (int i = 0; i < 6; i++) {
        Recorded.submit(engine, "b" + i, prompt, Toy.sampling(i), 3 + i);
        engine.turn(0);
        engine.turn(0);
      }
      Recorded.run(engine);
      assertThat(a.tokenArray())
          .isEqualTo(TOY.alone(prompt, Toy.sampling(1), 60, java.util.Set.of()));
    }
  }
}
