package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.graph.toy.WrappedModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Steps over prompts: packed, captured in buckets of their own, and without effect on tokens. */
class PromptStepsTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final TokenPenalties PENALTIES = new TokenPenalties(1.3f, 0.4f, 0.2f);

  private static EngineOptions options(int inFlight) {
    return Toy.serving(40).withInFlight(inFlight).withPrefixReuse(false);
  }

  private static SamplingParameters sampling(int i) {
    SamplingParameters plain = Toy.sampling(i);
    return i % 2 == 0 ? plain : plain.withPenalties(PENALTIES);
  }

  /** Lengths that fill, overlap and divide chunks of eight rows. */
  private static int[] prompt(int i) {
    return Toy.prompt(new Random(i), new int[] {3, 8, 2, 13}[i % 4]);
  }

  private static int[] alone(int i) {
    return TOY.alone(prompt(i), sampling(i), 6, Set.of());
  }

  private static List<Recorded> submitAll(DecodeEngine engine, int count) {
    List<Recorded> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(Recorded.submit(engine, "r" + i, prompt(i), sampling(i), 6));
    }
    return all;
  }

  @Test
  void packedPromptsGiveTheTokensOfEachAloneEagerOrReplayed() {
    for (int inFlight = 1; inFlight <= 2; inFlight++) {
      EngineOptions options = options(inFlight).withCapture(CaptureMoment.AT_FIRST_USE);
      try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
        for (int round = 0; round < 4; round++) {
          List<Recorded> all = submitAll(engine, 4);
          Recorded.run(engine);
          for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).tokenArray())
                .as("request %d, round %d, %d in flight", i, round, inFlight)
                .isEqualTo(alone(i));
          }
        }
        StepMetrics steps = engine.metrics().steps();
        assertThat(steps.prefills()).as("26 positions, packed by 8, four times").isEqualTo(16);
        assertThat(steps.prefillReplays()).isPositive();
        assertThat(steps.eagerPrefills().keySet()).containsExactly(EagerReason.COLD);
      }
    }
  }

  /** One step over prompts is not worth a capture: it may be all there is of its shape. */
  @Test
  void aShapeIsCapturedWhenItCameTwice() {
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options(1))) {
      Recorded.submit(engine, "short", Toy.prompt(new Random(1), 5), Toy.sampling(1), 1);
      Recorded.run(engine);
      assertThat(engine.captureWanted()).isFalse();
      Recorded.submit(engine, "short", Toy.prompt(new Random(2), 5), Toy.sampling(1), 1);
      Recorded.run(engine);
      assertThat(engine.captureWanted()).isTrue();
      assertThat(engine.metrics().graphs().costs().keySet())
          .containsExactly(
              new StepShape(new Bucket(8, ToyModel.CONTEXT), 1, false, false).ofPrompts());
      Recorded.submit(engine, "short", Toy.prompt(new Random(3), 5), Toy.sampling(1), 1);
      Recorded.run(engine);
      assertThat(engine.metrics().steps().prefillReplays()).isEqualTo(1);
      assertThat(engine.metrics().steps().eagerPrefills()).isEqualTo(Map.of(EagerReason.COLD, 2L));
    }
  }

  @Test
  void afterAWarmUpOfEverythingTheFirstRequestsRunNoStepByPlainLaunches() {
    EngineOptions options = options(2);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      for (Bucket bucket : options.decode().buckets().largestFirst()) {
        assertThat(engine.warmUp(bucket, WarmUpScope.ALL)).isTrue();
      }
      assertThat(engine.warmUpPrompts(WarmUpScope.ALL)).isTrue();
      long captures = engine.metrics().graphs().captures();
      for (int i = 0; i < 4; i++) {
        Recorded one = Recorded.submit(engine, "r" + i, prompt(i), sampling(i), 6);
        Recorded.run(engine);
        assertThat(one.tokenArray()).isEqualTo(alone(i));
      }
      StepMetrics steps = engine.metrics().steps();
      assertThat(steps.eager()).isEmpty();
      assertThat(steps.eagerPrefills()).isEmpty();
      assertThat(steps.prefillReplays()).isEqualTo(steps.prefills());
      assertThat(engine.captureWanted()).isFalse();
      assertThat(engine.metrics().graphs().captures()).isEqualTo(captures);
    }
  }

  @Test
  void stepsInWhichSeveralPromptsEndAreReplayedFromTheStartIfTheyAreWarmedUp() {
    for (boolean packed : new boolean[] {true, false}) {
      try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options(1))) {
        assertThat(engine.warmUpPrompts(new WarmUpScope(true, true, packed))).isTrue();
        List<Recorded> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          int[] two = Toy.prompt(new Random(i), 2);
          all.add(Recorded.submit(engine, "r" + i, two, sampling(i), 1));
        }
        Recorded.run(engine);
        assertThat(all).allMatch(one -> one.reason == FinishReason.LENGTH);
        StepMetrics steps = engine.metrics().steps();
        assertThat(steps.prefills()).as("8 positions, all four in one step").isEqualTo(1);
        assertThat(steps.prefillReplays()).isEqualTo(packed ? 1 : 0);
      }
    }
  }

  @Test
  void replaysOverPromptsAreAuditedToo() {
    EngineOptions options =
        options(1).withAudit().withCapture(CaptureMoment.AT_FIRST_USE).withCheckedKv(false);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      for (int round = 0; round < 3; round++) {
        List<Recorded> all = submitAll(engine, 4);
        Recorded.run(engine);
        assertThat(all).allMatch(one -> one.reason == FinishReason.LENGTH);
      }
      StepMetrics steps = engine.metrics().steps();
      assertThat(steps.prefillReplays()).isPositive();
      assertThat(steps.audits()).isEqualTo(steps.replays() + steps.prefillReplays());
    }
  }

  /** The planted graph of a step over a prompt writes a wrong key, which only later steps read. */
  @Test
  void aGraphOverPromptsThatWritesOtherKeysIsCaught() {
    WrappedModel.Around planted =
        (step, buffers, shape) ->
            stream -> {
              step.enqueue(stream);
              if (stream.isCapturing() && shape.prefill()) {
                var keys = buffers.kv().keys(0);
                long at = keys.offset() + buffers.kv().layout().blockBytes() + 4;
                stream.fill32(keys.buffer(), at, 1, Float.floatToIntBits(77f));
              }
            };
    EngineOptions options = options(1).withAudit().withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine =
        DecodeEngine.create(TOY.device(), new WrappedModel(TOY.model(), planted), options)) {
      Recorded last = Recorded.submit(engine, "r", prompt(0), Toy.sampling(0), 3);
      Recorded.run(engine);
      assertThat(last.reason).isEqualTo(FinishReason.LENGTH);
      Recorded.submit(engine, "r", prompt(0), Toy.sampling(0), 3);
      last = Recorded.submit(engine, "r", prompt(0), Toy.sampling(0), 3);
      Recorded.run(engine);
      Recorded caught = Recorded.submit(engine, "r", prompt(0), Toy.sampling(0), 3);
      Recorded.run(engine);
      assertThat(List.of(last, caught))
          .anySatisfy(one ->
              assertThat(one.failure)
                  .isInstanceOf(AuditException.class)
                  .hasMessageContaining("keys that row"));
    }
  }
}
