package dev.reprise.graph.decode;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 10, penalties: what a token costs depends on prompt and generated tokens alone, however they
 * were computed.
 */
class Law10PenaltiesTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int TOKENS = 30;
  private static final int[] PROMPT = Toy.prompt(new Random(5), 13);
  private static final TokenPenalties PENALTIES = new TokenPenalties(1.3f, 0.4f, 0.25f);
  private static final SamplingParameters SAMPLED = Toy.sampling(11).withPenalties(PENALTIES);

  private static int[] alone(int[] prompt, SamplingParameters sampling, int count) {
    return TOY.alone(prompt, sampling, count, Set.of());
  }

  private static SamplingParameters greedy(TokenPenalties penalties) {
    return SamplingParameters.greedy().withPenalties(penalties);
  }

  /** Penalties in plain Java on the logits of a step without them. */
  private static float[] penalized(float[] logits, int[] tokens, int length, TokenPenalties p) {
    boolean[] seen = new boolean[logits.length];
    int[] generated = new int[logits.length];
    for (int i = 0; i < length; i++) {
      seen[tokens[i]] = true;
      if (i >= PROMPT.length) {
        generated[tokens[i]]++;
      }
    }
    float[] result = logits.clone();
    for (int token = 0; token < result.length; token++) {
      if (seen[token]) {
        float value = result[token];
        result[token] = value > 0 ? value / p.repetition() : value * p.repetition();
      }
      if (generated[token] > 0) {
        float cost = p.presence() + p.frequency() * generated[token];
        result[token] -= cost;
      }
    }
    return result;
  }

  private static int[] reference(TokenPenalties penalties) {
    int[] tokens = Arrays.copyOf(PROMPT, PROMPT.length + TOKENS);
    try (DecodeLoop loop =
        DecodeLoop.create(TOY.device(), TOY.model(), Toy.options().withEager(true))) {
      for (int length = PROMPT.length; length < tokens.length; length++) {
        int[] prefix = Arrays.copyOf(tokens, length);
        loop.generate(prefix, SamplingParameters.greedy(), 1, Set.of(), token -> true);
        float[] logits = penalized(loop.logits(0), tokens, length, penalties);
        int best = 0;
        for (int token = 1; token < logits.length; token++) {
          best = logits[token] > logits[best] ? token : best;
        }
        tokens[length] = best;
      }
    }
    return Arrays.copyOfRange(tokens, PROMPT.length, tokens.length);
  }

  @Test
  void eachPenaltyGivesTheTokensOfPlainJava() {
    int[] plain = alone(PROMPT, SamplingParameters.greedy(), TOKENS);
    assertThat(reference(TokenPenalties.NONE)).isEqualTo(plain);
    for (TokenPenalties penalties :
        List.of(
            new TokenPenalties(1.4f, 0, 0),
            new TokenPenalties(1, 1.5f, 0),
            new TokenPenalties(1, 0, 0.6f),
            new TokenPenalties(0.8f, -0.3f, 0.1f),
            PENALTIES)) {
      assertThat(alone(PROMPT, greedy(penalties), TOKENS))
          .as("%s", penalties)
          .isEqualTo(reference(penalties))
          .isNotEqualTo(plain);
    }
  }

  @Test
  void bucketsChunksAndReplaysGiveTheSameTokens() {
    int[] alone = alone(PROMPT, SAMPLED, TOKENS);
    assertThat(alone).isNotEqualTo(alone(PROMPT, Toy.sampling(11), TOKENS));
    for (int rows : new int[] {1, 3}) {
      for (int chunk : new int[] {1, 5, 16}) {
        DecodeOptions options =
            new DecodeOptions(
                BucketSet.of(List.of(rows), List.of(ToyModel.CONTEXT)), chunk, 20, false);
        try (DecodeLoop loop = DecodeLoop.create(TOY.device(), TOY.model(), options)) {
          for (int again = 0; again < 2; again++) {
            assertThat(loop.generate(PROMPT, SAMPLED, TOKENS, Set.of(), t -> true).tokens())
                .as("%s", options)
                .isEqualTo(alone);
          }
          assertThat(loop.statistics().replays()).isPositive();
        }
      }
    }
  }

  @Test
  void generatedTokensAreNotTakenForThePrompt() {
    SamplingParameters sampling = greedy(new TokenPenalties(1, 3, 0));
    int[] all = alone(PROMPT, sampling, TOKENS);
    int half = TOKENS / 2;
    int[] longer =
        IntStream.concat(Arrays.stream(PROMPT), Arrays.stream(all).limit(half)).toArray();
    assertThat(alone(longer, sampling, TOKENS - half))
        .as("the history is a prompt now")
        .isNotEqualTo(Arrays.copyOfRange(all, half, TOKENS));
  }

  @Test
  void preemptionAndCachedPrefixesKeepWhatWasSeen() {
    int[] prompt = Toy.prompt(new Random(8), 34);
    EngineOptions options = Toy.serving(9).withCapture(CaptureMoment.AT_FIRST_USE);
    List<SamplingParameters> samplings =
        List.of(
            SAMPLED,
            greedy(new TokenPenalties(1, 2, 0)),
            greedy(new TokenPenalties(1.5f, 0, 0)),
            Toy.sampling(3));
    int count = 45;
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      List<Recorded> all =
          samplings.stream().map(s -> Recorded.submit(engine, "" + s, prompt, s, count)).toList();
      Recorded.run(engine);
      int preemptions = 0;
      int reused = 0;
      for (int i = 0; i < all.size(); i++) {
        Recorded one = all.get(i);
        assertThat(one.tokenArray())
            .as("%s", samplings.get(i))
            .isEqualTo(alone(prompt, samplings.get(i), count));
        if (samplings.get(i).penalties().active()) {
          preemptions += one.sequence.preemptions();
          reused += one.sequence.reused();
        }
      }
      assertThat(preemptions).as("preemptions").isPositive();
      assertThat(reused).as("reused positions").isPositive();
    }
  }

  @Test
  void auditedReplaysRecordWhatEagerStepsRecord() {
    EngineOptions options = Toy.serving(20).withAudit().withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      Recorded one = Recorded.submit(engine, "one", PROMPT, SAMPLED, TOKENS);
      Recorded.run(engine);
      assertThat(one.tokenArray()).isEqualTo(alone(PROMPT, SAMPLED, TOKENS));
      assertThat(engine.metrics().steps().audits()).isPositive();
    }
  }

  @Test
  void stepsWithoutPenaltiesDoNotPayForThem() {
    EngineOptions options = Toy.serving(20).withCapture(CaptureMoment.AT_FIRST_USE);
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      Recorded.submit(engine, "plain", PROMPT, Toy.sampling(1), TOKENS);
      Recorded.run(engine);
      Recorded.submit(engine, "penalized", PROMPT, SAMPLED, TOKENS);
      Recorded.run(engine);
      var costs = engine.metrics().graphs().costs();
      costs.forEach((shape, cost) -> {
        if (shape.penalized()) {
          StepShape plain = new StepShape(shape.bucket(), shape.logitRows());
          assertThat(cost.nodes()).isEqualTo(requireNonNull(costs.get(plain)).nodes() + 2);
        }
      });
      assertThat(costs.keySet()).anyMatch(StepShape::penalized);
    }
  }

  @Test
  void impossiblePenaltiesAreRefused() {
    for (float repetition : new float[] {0, -1, Float.NaN, Float.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new TokenPenalties(repetition, 0, 0))
          .hasMessageContaining("repetition penalty must be above 0");
    }
    assertThatThrownBy(() -> new TokenPenalties(1, Float.NaN, 0)).hasMessageContaining("presence");
    assertThatThrownBy(() -> new TokenPenalties(1, 0, Float.NaN)).hasMessageContaining("frequency");
  }
}
