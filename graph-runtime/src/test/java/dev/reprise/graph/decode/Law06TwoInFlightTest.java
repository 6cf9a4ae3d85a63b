package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.toy.Toy;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 6: with two steps in flight, execs and result slots alternate; tokens are the serial ones.
 */
class Law06TwoInFlightTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int[] PROMPT = Toy.prompt(new Random(1), 20);

  private static DecodeEngine engine(int inFlight) {
    return DecodeEngine.create(
        TOY.device(),
        TOY.model(),
        Toy.serving(40).withInFlight(inFlight).withCapture(CaptureMoment.AT_FIRST_USE));
  }

  @Test
  void theNextStepIsLaunchedBeforeTheLastIsReadAndTokensAreTheSerialOnes() {
    int[] alone = TOY.alone(PROMPT, Toy.sampling(4), 40, Set.of());
    for (int inFlight = 1; inFlight <= 2; inFlight++) {
      try (DecodeEngine engine = engine(inFlight)) {
        Recorded a = Recorded.submit(engine, "a", PROMPT, Toy.sampling(4), 40);
        while (a.tokens.size() < 10) {
          engine.turn(0);
          assertThat(engine.runner().inFlightCount()).isEqualTo(inFlight - 1);
        }
        Recorded.run(engine);
        assertThat(a.tokenArray()).isEqualTo(alone);
        // Two buckets of context, each with an exec for every slot; chunks of the prompt besides.
        assertThat(engine.metrics().graphs().captures() - promptCaptures(engine))
            .isEqualTo(2L * inFlight);
        assertThat(engine.metrics().steps().eagerSteps()).isZero();
      }
    }
  }

  /** Each shape is captured once for each slot in which it came twice. */
  private static long promptCaptures(DecodeEngine engine) {
    long shapes =
        engine.metrics().graphs().costs().keySet().stream().filter(StepShape::prefill).count();
    return Math.min(shapes, engine.metrics().steps().prefillReplays());
  }

  @Test
  void aResultSlotInFlightIsNotLaunchedInto() {
    try (DecodeEngine engine = engine(2)) {
      StepRunner runner = engine.runner();
      StepShape shape = new StepShape(new Bucket(1, 32), 1);
      runner.decode(shape, 0, true);
      runner.decode(shape, 0, true);
      assertThatThrownBy(() -> runner.decode(shape, 0, true))
          .hasMessage(
              "Result slot 0 belongs to a step in flight; wait for it before the next step");
      runner.complete();
      runner.decode(shape, 0, true);
      runner.complete();
    }
  }
}
