package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.adapter.AdapterException;
import dev.reprise.graph.adapter.AdapterLease;
import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.adapter.LowRankWeights;
import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 11: which adapter a row has is data: switching captures nothing again, and each request has
 * the tokens that it has alone.
 */
class Law11AdaptersTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int TOKENS = 20;
  private static final int[] PROMPT = Toy.prompt(new Random(5), 35);
  private static final AdapterOptions ROOM = new AdapterOptions(2, 4);
  private static final AdapterWeights A = ToyModel.adapter(1, 4, "qkv", "out");
  private static final AdapterWeights B = ToyModel.adapter(2, 3, "out");

  private static final Map<Optional<AdapterWeights>, List<Integer>> ALONE = new HashMap<>();

  private static EngineOptions options() {
    return Toy.serving(40).withAdapters(ROOM).withCapture(CaptureMoment.AT_FIRST_USE);
  }

  private static DecodeEngine engine(EngineOptions options) {
    return DecodeEngine.create(TOY.device(), TOY.model(), options);
  }

  /** A request that gives its adapter back at its end. */
  private static final class Adapted implements SequenceListener {

    final List<Integer> tokens = new ArrayList<>();
    final DecodeSequence sequence;
    private final @Nullable AdapterLease lease;

    Adapted(
        DecodeEngine engine,
        @Nullable String adapter,
        SamplingParameters sampling,
        boolean careless) {
      lease = adapter == null ? null : engine.adapters().lease(adapter);
      int length = engine.maxLength(PROMPT.length, TOKENS);
      sequence =
          new DecodeSequence(
              "with " + adapter,
              PROMPT,
              length,
              sampling,
              Set.of(),
              Priority.NORMAL,
              "",
              Long.MAX_VALUE,
              this,
              lease) {
            @Override
            public String prefixVariant() {
              return careless ? "" : super.prefixVariant();
            }
          };
      engine.submit(sequence);
    }

    @Override
    public boolean onToken(int token) {
      tokens.add(token);
      return true;
    }

    @Override
    public void onEnd(FinishReason reason, @Nullable RuntimeException failure) {
      if (lease != null) {
        lease.close();
      }
    }
  }

  private static Adapted submit(DecodeEngine engine, @Nullable String adapter) {
    return new Adapted(engine, adapter, Toy.sampling(4), false);
  }

  /** The tokens that a request has alone, by plain launches, in slot 0. */
  private static List<Integer> alone(@Nullable AdapterWeights weights) {
    return ALONE.computeIfAbsent(Optional.ofNullable(weights), w -> computedAlone(weights));
  }

  private static List<Integer> computedAlone(@Nullable AdapterWeights weights) {
    DecodeOptions eager = Toy.options().withEager(true);
    try (DecodeEngine engine = engine(EngineOptions.serial(eager).withAdapters(ROOM))) {
      if (weights != null) {
        engine.loadAdapter("one", weights);
      }
      Adapted one = submit(engine, weights == null ? null : "one");
      Recorded.run(engine);
      return one.tokens;
    }
  }

  @Test
  void switchingAndMixingCapturesNothingAndGivesTheTokensOfEachAlone() {
    Map<@Nullable String, List<Integer>> wanted = new HashMap<>();
    wanted.put("a", alone(A));
    wanted.put("b", alone(B));
    wanted.put(null, alone(null));
    assertThat(Set.copyOf(wanted.values())).as("adapters matter").hasSize(3);
    try (DecodeEngine engine = engine(options())) {
      options().decode().buckets().largestFirst().forEach(engine::warmUp);
      Set<StepShape> captured = decodeShapes(engine);
      engine.loadAdapter("b", B);
      engine.loadAdapter("a", A);
      for (@Nullable String adapter : Arrays.asList("a", "b", null, "a")) {
        Adapted one = submit(engine, adapter);
        Recorded.run(engine);
        assertThat(one.tokens).as("with %s", adapter).isEqualTo(wanted.get(adapter));
      }
      Map<Adapted, @Nullable String> mix = new HashMap<>();
      for (@Nullable String adapter : Arrays.asList("a", null, "b", null, "b", "a")) {
        mix.put(submit(engine, adapter), adapter);
      }
      Recorded.run(engine);
      mix.forEach((one, adapter) ->
          assertThat(one.tokens).as("%s, mixed", adapter).isEqualTo(wanted.get(adapter)));
      DecodeMetrics metrics = engine.metrics();
      assertThat(metrics.requests().reusedPositions()).as("shared prefixes").isPositive();
      assertThat(decodeShapes(engine)).as("captures").isEqualTo(captured);
      assertThat(metrics.graphs().captures())
          .isLessThanOrEqualTo(2L * (captured.size() + promptShapes(engine)));
      assertThat(metrics.steps().eager()).as("eager steps").isEmpty();
      assertThat(metrics.steps().replays()).isPositive();
    }
  }

  private static Set<StepShape> decodeShapes(DecodeEngine engine) {
    Set<StepShape> shapes = new HashSet<>(engine.metrics().graphs().costs().keySet());
    shapes.removeIf(StepShape::prefill);
    return shapes;
  }

  private static int promptShapes(DecodeEngine engine) {
    return engine.metrics().graphs().costs().size() - decodeShapes(engine).size();
  }

  @Test
  void anAdapterGivesTheTokensOfWeightsItIsFoldedInto() {
    for (AdapterWeights weights : List.of(A, B)) {
      try (ToyModel folded = new ToyModel(TOY.device(), weights);
          DecodeLoop loop = DecodeLoop.create(TOY.device(), folded, Toy.options());
          DecodeEngine engine = engine(options())) {
        engine.loadAdapter("a", weights);
        Adapted one = new Adapted(engine, "a", SamplingParameters.greedy(), false);
        Recorded.run(engine);
        int[] reference =
            loop.generate(PROMPT, SamplingParameters.greedy(), TOKENS, Set.of(), t -> true)
                .tokens();
        assertThat(one.tokens)
            .containsExactly(Arrays.stream(reference).boxed().toArray(Integer[]::new));
      }
    }
  }

  @Test
  void aPrefixSharedAcrossAdaptersIsCaught() {
    List<Integer> wanted = alone(A);
    for (boolean careless : new boolean[] {false, true}) {
      try (DecodeEngine engine = engine(options())) {
        engine.loadAdapter("a", A);
        submit(engine, null);
        Recorded.run(engine);
        Adapted one = new Adapted(engine, "a", Toy.sampling(4), careless);
        Recorded.run(engine);
        if (careless) {
          assertThat(one.sequence.reused()).isPositive();
          assertThat(one.tokens).as("another's keys and values").isNotEqualTo(wanted);
        } else {
          assertThat(one.sequence.reused()).isZero();
          assertThat(one.tokens).isEqualTo(wanted);
        }
      }
    }
  }

  @Test
  void aNameThatIsLoadedAgainHasItsNewWeightsAndNoOldPrefixes() {
    try (DecodeEngine engine = engine(options())) {
      for (AdapterWeights weights : List.of(A, B, A)) {
        engine.loadAdapter("a", weights);
        Adapted one = submit(engine, "a");
        Recorded.run(engine);
        assertThat(one.tokens).isEqualTo(alone(weights));
        engine.unloadAdapter("a");
      }
    }
  }

  @Test
  void anAdapterInUseStaysAndOneThatWasUnloadedIsRefused() {
    try (DecodeEngine engine = engine(options())) {
      engine.loadAdapter("a", A);
      AdapterLease lease = engine.adapters().lease("a");
      assertThatThrownBy(() -> engine.unloadAdapter("a"))
          .isInstanceOf(AdapterException.class)
          .hasMessageContaining("used by 1 requests");
      lease.close();
      lease.close();
      engine.unloadAdapter("a");
      assertThatThrownBy(() -> engine.adapters().lease("a"))
          .isInstanceOf(AdapterException.class)
          .hasMessageContaining("no adapter 'a' is loaded");
      DecodeSequence late =
          new DecodeSequence(
              "late",
              PROMPT,
              50,
              SamplingParameters.greedy(),
              Set.of(),
              Priority.NORMAL,
              "",
              Long.MAX_VALUE,
              new SequenceListener() {
                @Override
                public boolean onToken(int token) {
                  return true;
                }

                @Override
                public void onEnd(FinishReason reason, @Nullable RuntimeException failure) {}
              },
              lease);
      assertThatThrownBy(() -> engine.submit(late))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("Adapter 'a' was given back");
    }
  }

  @Test
  void whatDoesNotFitIsRefusedAndChangesNothing() {
    try (DecodeEngine engine = engine(options())) {
      assertRefused(
          engine, "a", ToyModel.adapter(1, 5, "qkv"), "rank 5 at qkv; the slots have room for 4");
      assertRefused(
          engine, "a", ToyModel.adapter(1, 2, "gate"), "no projection 'gate'; it has [qkv, out]");
      AdapterWeights small =
          new AdapterWeights(Map.of("qkv", new LowRankWeights(1, 1, new float[3], new float[4])));
      assertRefused(
          engine, "a", small, "has 3 and 4 weights at qkv; rank 1 of 32 to 96 needs 32 and 96");
      engine.loadAdapter("a", A);
      assertRefused(engine, "a", B, "'a' is loaded already");
      engine.loadAdapter("b", B);
      assertRefused(engine, "c", B, "All 2 adapter slots are taken, by [a, b]");
      assertThat(engine.adapters().names()).containsExactly("a", "b");
    }
    try (DecodeEngine without = engine(Toy.serving(40))) {
      assertRefused(without, "a", A, "no room for adapters");
    }
  }

  private static void assertRefused(
      DecodeEngine engine, String name, AdapterWeights weights, String why) {
    assertThatThrownBy(() -> engine.loadAdapter(name, weights))
        .isInstanceOf(AdapterException.class)
        .hasMessageContaining(why);
  }

  @Test
  void auditedReplaysGiveWhatEagerStepsGive() {
    try (DecodeEngine engine = engine(options().withAudit())) {
      engine.loadAdapter("a", A);
      Adapted one = submit(engine, "a");
      Adapted other = submit(engine, null);
      Recorded.run(engine);
      assertThat(one.tokens).isEqualTo(alone(A));
      assertThat(other.tokens).isEqualTo(alone(null));
      assertThat(engine.metrics().steps().audits()).isPositive();
    }
  }
}
