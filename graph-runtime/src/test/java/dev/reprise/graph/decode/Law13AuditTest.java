package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.kv.KvLayout;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.WrappedModel;
import dev.reprise.kernels.Span;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 13: in audit mode each replay is followed by an eager run of the step and compared. */
class Law13AuditTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int[] PROMPT = Toy.prompt(new Random(1), 10);

  private static DecodeEngine engine(WrappedModel.Around around) {
    return DecodeEngine.create(
        TOY.device(),
        new WrappedModel(TOY.model(), around),
        Toy.serving(20).withAudit().withCapture(CaptureMoment.AT_FIRST_USE));
  }

  @Test
  void everyReplayIsComparedAndTokensAreTheSame() {
    try (DecodeEngine engine = engine((step, buffers, shape) -> step)) {
      Recorded a = Recorded.submit(engine, "a", PROMPT, Toy.sampling(1), 30);
      Recorded b = Recorded.submit(engine, "b", PROMPT, Toy.sampling(2), 20);
      Recorded.run(engine);
      assertThat(a.tokenArray()).isEqualTo(TOY.alone(PROMPT, Toy.sampling(1), 30, Set.of()));
      assertThat(b.tokenArray()).isEqualTo(TOY.alone(PROMPT, Toy.sampling(2), 20, Set.of()));
      StepMetrics steps = engine.metrics().steps();
      assertThat(steps.audits()).isEqualTo(steps.replays()).isGreaterThan(25);
    }
  }

  @Test
  void aGraphThatHoldsWhatTheStepDoesNotIsCaught() {
    WrappedModel.Around planted =
        (step, buffers, shape) ->
            stream -> {
              step.enqueue(stream);
              if (stream.isCapturing()) {
                stream.fill32(
                    buffers.logits().buffer(), 5 * Float.BYTES, 1, Float.floatToIntBits(99f));
              }
            };
    try (DecodeEngine engine = engine(planted)) {
      Recorded a = Recorded.submit(engine, "a", PROMPT, Toy.sampling(1), 30);
      Recorded.run(engine);
      assertThat(a.reason).isEqualTo(FinishReason.FAILED);
      assertThat(a.failure)
          .isInstanceOf(AuditException.class)
          .hasMessageContaining("logit 5 of row 0 is 99.0 and should be");
      assertThat(a.tokens).as("the token of the prompt").hasSize(1);
    }
  }

  /** The logits are those of the step: only the keys and values that later steps read are wrong. */
  @Test
  void aGraphThatLeavesOtherKeysAndValuesIsCaughtAtThatStep() {
    for (boolean values : new boolean[] {false, true}) {
      WrappedModel.Around planted =
          (step, buffers, shape) ->
              stream -> {
                step.enqueue(stream);
                if (stream.isCapturing()) {
                  Span part = values ? buffers.kv().values(0) : buffers.kv().keys(0);
                  long at = part.offset() + wordOfPosition(buffers.kv().layout(), 12);
                  stream.fill32(part.buffer(), at, 1, Float.floatToIntBits(77f));
                }
              };
      try (DecodeEngine engine = engine(planted)) {
        Recorded a = Recorded.submit(engine, "a", PROMPT, Toy.sampling(1), 30);
        Recorded.run(engine);
        assertThat(a.failure)
            .isInstanceOf(AuditException.class)
            .hasMessageContaining(
                "the %s that row 0 writes in layer 0 are others"
                    .formatted(values ? "values" : "keys"));
        assertThat(a.tokens).as("tokens of positions 10, 11 and 12").hasSize(3);
      }
    }
  }

  /** Where the first word of a position is in block 1, the first that a sequence gets. */
  private static long wordOfPosition(KvLayout layout, int position) {
    return layout.blockBytes() + (long) position * layout.headDim() * Float.BYTES;
  }
}
