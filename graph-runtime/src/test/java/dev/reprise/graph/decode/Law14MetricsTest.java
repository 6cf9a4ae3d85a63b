package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.WrappedModel;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 14: what happened can be read from the metrics. */
class Law14MetricsTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int[] PROMPT = Toy.prompt(new Random(1), 10);

  @Test
  void stepsRowsTokensAndGraphsAreCounted() {
    EngineOptions options = Toy.serving(20).withInFlight(1).withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      for (int i = 0; i < 3; i++) {
        Recorded.submit(engine, "r" + i, Toy.prompt(new Random(i), 10), Toy.sampling(i), 12);
      }
      Recorded.run(engine);
      DecodeMetrics metrics = engine.metrics();
      assertThat(metrics.tokens()).isEqualTo(36);
      assertThat(metrics.ended()).isEqualTo(Map.of(FinishReason.LENGTH, 3L));
      assertThat(metrics.requests().submitted()).isEqualTo(3);
      assertThat(metrics.requests().promptPositions()).isEqualTo(30);
      StepMetrics steps = metrics.steps();
      assertThat(steps.prefills()).as("30 positions, packed by 8").isEqualTo(4);
      assertThat(steps.buckets().values().stream().mapToLong(BucketUse::steps).sum())
          .isEqualTo(steps.replays() + steps.eagerSteps());
      assertThat(steps.buckets().values().stream().mapToLong(BucketUse::liveRows).sum())
          .as("a row for each token that is not of a prompt")
          .isEqualTo(33);
      BucketUse four = Objects.requireNonNull(steps.buckets().get(new Bucket(4, 32)));
      assertThat(four.paddingRows()).isEqualTo(four.steps());
      assertThat(metrics.graphs().captures()).isEqualTo(metrics.graphs().costs().size());
      assertThat(metrics.graphs().costs().keySet().stream().filter(shape -> !shape.prefill()))
          .hasSize(3);
      assertThat(
              steps.prefillReplays()
                  + steps.eagerPrefills().values().stream().mapToLong(n -> n).sum())
          .isEqualTo(steps.prefills());
      assertThat(metrics.graphs().bytes()).isPositive();
      assertThat(metrics.graphs().captureNanos()).isPositive();
      assertThat(steps.replayNanos()).isPositive();
      assertThat(metrics.kv().blocks()).isEqualTo(19);
    }
  }

  @Test
  void aGraphWhoseMemoryWasClosedIsRefusedCountedAndReplacedByPlainLaunches() {
    try (DeviceBuffer extra = TOY.device().allocate("extra", 4)) {
      WrappedModel.Around planted =
          (step, buffers, shape) ->
              stream -> {
                step.enqueue(stream);
                if (stream.isCapturing() && !extra.isClosed()) {
                  stream.fill32(extra, 0, 1, 1);
                }
              };
      EngineOptions options =
          Toy.serving(20).withInFlight(1).withCapture(CaptureMoment.AT_FIRST_USE);
      try (DecodeEngine engine =
          DecodeEngine.create(TOY.device(), new WrappedModel(TOY.model(), planted), options)) {
        Recorded a = Recorded.submit(engine, "a", PROMPT, Toy.sampling(1), 15);
        while (a.tokens.size() < 5) {
          engine.turn(0);
        }
        extra.close();
        Recorded.run(engine);
        assertThat(a.tokenArray()).isEqualTo(TOY.alone(PROMPT, Toy.sampling(1), 15, Set.of()));
        assertThat(engine.metrics().graphs().refusedEpochs()).isEqualTo(1);
        assertThat(engine.metrics().steps().eager()).isEqualTo(Map.of(EagerReason.STALE, 1L));
        assertThat(engine.metrics().graphs().captures()).as("captured again").isEqualTo(2);
      }
    }
  }
}
