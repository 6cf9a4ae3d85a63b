package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.WrappedModel;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 8: cold shapes run eagerly at once and are captured when idle; a failed capture falls back
 * loudly; a failure after the launch is not retried.
 */
class Law08ColdShapesTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int[] PROMPT = Toy.prompt(new Random(1), 6);

  private static DecodeEngine engine(WrappedModel.Around around) {
    return DecodeEngine.create(
        TOY.device(),
        new WrappedModel(TOY.model(), around),
        Toy.serving(20).withPrefixReuse(false));
  }

  @Test
  void aColdShapeRunsAtOnceAndIsCapturedWhenThereIsNothingToDo() {
    int[] alone = TOY.alone(PROMPT, Toy.sampling(1), 20, Set.of());
    try (DecodeEngine engine = engine((step, buffers, shape) -> step)) {
      Recorded first = Recorded.submit(engine, "first", PROMPT, Toy.sampling(1), 20);
      Recorded.run(engine);
      assertThat(first.tokenArray()).isEqualTo(alone);
      assertThat(engine.metrics().graphs().captures()).isZero();
      assertThat(engine.metrics().steps().eager()).isEqualTo(Map.of(EagerReason.COLD, 19L));
      while (engine.captureWanted()) {}
      assertThat(engine.metrics().graphs().captures()).as("an exec a slot").isEqualTo(2);
      Recorded second = Recorded.submit(engine, "second", PROMPT, Toy.sampling(1), 20);
      Recorded.run(engine);
      assertThat(second.tokenArray()).isEqualTo(alone);
      assertThat(engine.metrics().steps().replays()).isEqualTo(19);
    }
  }

  @Test
  void aStepThatNoBucketIsReplayedForRunsEagerlyAndIsNeverCaptured() {
    DecodeOptions uneven =
        Toy.options()
            .withBuckets(
                BucketSet.of(
                    List.of(new Bucket(1, 16), new Bucket(2, 32)), List.of(new Bucket(1, 96))));
    int[] alone = TOY.alone(PROMPT, Toy.sampling(1), 60, Set.of());
    try (DecodeEngine engine =
        DecodeEngine.create(
            TOY.device(),
            TOY.model(),
            EngineOptions.serving(uneven).withCapture(CaptureMoment.AT_FIRST_USE))) {
      Recorded one = Recorded.submit(engine, "one", PROMPT, Toy.sampling(1), 60);
      Recorded two = Recorded.submit(engine, "two", PROMPT, Toy.sampling(1), 60);
      Recorded.run(engine);
      assertThat(one.tokenArray()).isEqualTo(alone);
      assertThat(two.tokenArray()).isEqualTo(alone);
      StepMetrics steps = engine.metrics().steps();
      assertThat(steps.eager().keySet()).containsExactly(EagerReason.NO_BUCKET);
      assertThat(steps.replays()).isPositive();
      assertThat(engine.captureWanted()).isFalse();
    }
  }

  @Test
  void aFailedCaptureIsCountedAndBacksOffWhileItsStepsRunEagerly() {
    WrappedModel.Around planted =
        (step, buffers, shape) ->
            stream -> {
              if (stream.isCapturing()) {
                throw new IllegalStateException("planted");
              }
              step.enqueue(stream);
            };
    try (DecodeEngine engine = engine(planted)) {
      for (int i = 0; i < 3; i++) {
        Recorded one = Recorded.submit(engine, "one", PROMPT, Toy.sampling(1), 20);
        Recorded.run(engine);
        assertThat(one.tokenArray()).isEqualTo(TOY.alone(PROMPT, Toy.sampling(1), 20, Set.of()));
        while (engine.captureWanted()) {}
      }
      assertThat(engine.metrics().graphs().failures())
          .as("of two decode steps and one over prompts")
          .isEqualTo(Map.of("refused before the driver was asked", 3L));
      assertThat(engine.metrics().steps().eager())
          .isEqualTo(Map.of(EagerReason.COLD, 19L, EagerReason.CAPTURE_FAILED, 38L));
    }
  }

  @Test
  void aStepThatFailsAfterItsLaunchEndsItsRequestsAndIsNotRunAgain() {
    AtomicInteger launches = new AtomicInteger();
    int failing = 9;
    WrappedModel.Around planted =
        (step, buffers, shape) ->
            stream -> {
              step.enqueue(stream);
              if (launches.incrementAndGet() == failing) {
                throw new IllegalStateException("planted after the launch");
              }
            };
    try (DecodeEngine engine = engine(planted)) {
      Recorded a = Recorded.submit(engine, "a", PROMPT, Toy.sampling(1), 20);
      while (a.reason == null) {
        engine.turn(0);
      }
      assertThat(a.reason).isEqualTo(FinishReason.FAILED);
      assertThat(a.failure).hasMessage("planted after the launch");
      Recorded.run(engine);
      assertThat(launches.get()).isEqualTo(failing);
      assertThat(engine.metrics().kv().available()).isEqualTo(19);
      Recorded b = Recorded.submit(engine, "b", PROMPT, Toy.sampling(2), 20);
      Recorded.run(engine);
      assertThat(b.tokenArray()).isEqualTo(TOY.alone(PROMPT, Toy.sampling(2), 20, Set.of()));
    }
  }
}
