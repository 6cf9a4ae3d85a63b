package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.kv.KvExhaustedException;
import dev.reprise.graph.kv.KvGrowth;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 3: the KV pool grows in place. Nothing moves, so that graphs captured before go on; giving
 * memory back makes them stale.
 */
class Law03GrowthTest {

  @RegisterExtension static final Toy TOY = new Toy();

  /** Blocks in the piece of memory that is mapped at a time, 2 MiB. */
  private static final int PIECE = (2 << 20) / (ToyModel.BLOCK * 32 * Float.BYTES);

  private static final int[] PROMPT = Toy.prompt(new Random(4), 30);
  private static final int TOKENS = 40;

  private int sequences;

  @BeforeEach
  void countAnew() {
    sequences = 0;
  }

  private static EngineOptions options(int kvBlocks, KvGrowth growth) {
    return Toy.serving(kvBlocks)
        .withInFlight(1)
        .withCapture(CaptureMoment.AT_FIRST_USE)
        .withKvGrowth(growth);
  }

  private static DecodeEngine engine(EngineOptions options) {
    return DecodeEngine.create(TOY.device(), TOY.model(), options);
  }

  private Recorded submit(DecodeEngine engine) {
    int seed = ++sequences;
    return Recorded.submit(engine, "s" + seed, PROMPT, Toy.sampling(seed), TOKENS);
  }

  private static int[] alone(int seed) {
    return TOY.alone(PROMPT, Toy.sampling(seed), TOKENS, Set.of());
  }

  @Test
  void aPoolThatRunsOutGrowsWithoutPreemptingAnyone() {
    try (DecodeEngine engine = engine(options(6, KvGrowth.to(40)))) {
      List<Recorded> all = List.of(submit(engine), submit(engine), submit(engine));
      Recorded.run(engine);
      for (int i = 0; i < all.size(); i++) {
        assertThat(all.get(i).tokenArray()).isEqualTo(alone(i + 1));
      }
      DecodeMetrics metrics = engine.metrics();
      assertThat(metrics.kv().growths()).isPositive();
      assertThat(metrics.kv().blocks()).isBetween(15, 39);
      assertThat(metrics.kv().available()).isEqualTo(metrics.kv().blocks());
      assertThat(metrics.requests().preemptions()).isZero();
    }
    try (DecodeEngine engine = engine(options(6, KvGrowth.NONE))) {
      List.of(submit(engine), submit(engine), submit(engine));
      Recorded.run(engine);
      assertThat(engine.metrics().requests().preemptions()).isPositive();
    }
  }

  /** The toy's blocks are small, so growth that maps memory is asked for by name. */
  @Test
  void graphsCapturedBeforeReplayTheSameBitsAfterTheMemoryGrew() {
    try (DecodeEngine engine = engine(options(6, KvGrowth.to(4 * PIECE)))) {
      // Twice, so that all steps that it takes are captured.
      submit(engine);
      Recorded.run(engine);
      sequences = 0;
      Recorded before = submit(engine);
      Recorded.run(engine);
      long captures = engine.metrics().graphs().captures();
      long bytes = engine.metrics().kv().bytes();
      long address = engine.runner().kv().keys(0).address();
      assertThat(engine.runner().kv().blocks().grow(2 * PIECE)).isEqualTo(2 * PIECE);
      assertThat(engine.metrics().kv().bytes()).isGreaterThan(bytes);
      assertThat(engine.runner().kv().keys(0).address()).isEqualTo(address);
      // Takes all blocks at the beginning, so that the next sequence lives in the new memory.
      List<Long> held = new ArrayList<>();
      for (int i = 0; i < PIECE; i++) {
        held.add(engine.runner().kv().allocator().allocate());
      }
      sequences = 0;
      Recorded again = submit(engine);
      Recorded.run(engine);
      assertThat(again.tokenArray()).isEqualTo(before.tokenArray()).isEqualTo(alone(1));
      DecodeMetrics after = engine.metrics();
      assertThat(after.graphs().captures()).isEqualTo(captures);
      assertThat(after.graphs().refusedEpochs()).isZero();
      assertThat(after.steps().eagerSteps()).isZero();
      held.forEach(engine.runner().kv().allocator()::release);
    }
  }

  @Test
  void givingMemoryBackMakesGraphsStaleAndTheyAreRefusedAndCapturedAgain() {
    try (DecodeEngine engine = engine(options(6, KvGrowth.to(4 * PIECE)))) {
      Recorded before = submit(engine);
      Recorded.run(engine);
      long bytes = engine.metrics().kv().bytes();
      engine.runner().kv().blocks().grow(2 * PIECE);
      assertThat(engine.shrinkKv()).isPositive();
      assertThat(engine.metrics().kv().bytes()).isEqualTo(bytes);
      assertThat(engine.metrics().graphs().refusedEpochs()).isZero();
      sequences = 0;
      Recorded again = submit(engine);
      Recorded.run(engine);
      assertThat(again.tokenArray()).isEqualTo(before.tokenArray());
      assertThat(engine.metrics().graphs().refusedEpochs()).isPositive();
      assertThat(engine.metrics().steps().eager()).containsKey(EagerReason.STALE);
      assertThat(engine.shrinkKv()).isZero();
    }
  }

  @Test
  void blocksInUseAreNotGivenBack() {
    try (DecodeEngine engine = engine(options(6, KvGrowth.to(4 * PIECE)))) {
      engine.runner().kv().blocks().grow(2 * PIECE);
      List<Long> held = new ArrayList<>();
      for (int i = 0; i < 2 * PIECE; i++) {
        held.add(engine.runner().kv().allocator().allocate());
      }
      long last = held.getLast();
      held.subList(0, held.size() - 1).forEach(engine.runner().kv().allocator()::release);
      assertThat(engine.shrinkKv()).isZero();
      engine.runner().kv().allocator().check(last);
      engine.runner().kv().allocator().release(last);
      assertThat(engine.shrinkKv()).isPositive();
      assertThatThrownBy(() -> engine.runner().kv().allocator().check(last))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no KV block");
    }
  }

  /** A pool that moves is what this law is about: the planted violation. */
  @Test
  void aPoolThatMovedIsRefusedByTheGraphThatCapturedIt() {
    EngineOptions options = options(6, KvGrowth.to(4 * PIECE));
    try (DecodeEngine engine = engine(options)) {
      submit(engine);
      Recorded.run(engine);
      PreparedStep step =
          engine
              .runner()
              .prepared(new StepShape(options.decode().buckets().largestFirst().getLast(), 1));
      CapturedStep captured = Objects.requireNonNull(step.captured());
      assertThat(captured.graph().regions())
          .extracting(region -> region.label())
          .contains("KV pool, keys of layer 0", "KV pool, values of layer 0");
      engine.runner().kv().close();
      assertThatThrownBy(() -> captured.replay(engine.runner().stream(), 99))
          .hasMessageContaining("KV pool, ");
    }
  }

  @Test
  void withoutMemoryToGrowRequestsArePreemptedAndAllEndWell() {
    SoftwareDriver driver = softwareDriver();
    // All that is mapped at the start is used.
    try (DecodeEngine engine = engine(options(PIECE, KvGrowth.to(2 * PIECE)))) {
      List<Long> held = new ArrayList<>();
      for (int i = 0; i < PIECE - 1 - 6; i++) {
        held.add(engine.runner().kv().allocator().allocate());
      }
      FaultRule rule = FaultRule.call("cuMemCreate", 1, cuda_h.CUDA_ERROR_OUT_OF_MEMORY());
      FaultRule again = FaultRule.call("cuMemCreate", 2, cuda_h.CUDA_ERROR_OUT_OF_MEMORY());
      FaultPlan plan = FaultPlan.of(rule, again);
      List<Recorded> all = new ArrayList<>();
      try (FaultSession session = driver.faults().install(plan, Thread.currentThread())) {
        for (int i = 0; i < 3; i++) {
          all.add(submit(engine));
        }
        Recorded.run(engine);
        assertThat(session.injected()).isNotEmpty();
      }
      for (int i = 0; i < all.size(); i++) {
        assertThat(all.get(i).tokenArray()).isEqualTo(alone(i + 1));
      }
      DecodeMetrics metrics = engine.metrics();
      assertThat(metrics.kv().refusedGrowths()).isPositive();
      assertThat(metrics.requests().preemptions()).isPositive();
      held.forEach(engine.runner().kv().allocator()::release);
    }
  }

  private static SoftwareDriver softwareDriver() {
    var driver = SoftwareDriver.ofProcess();
    Assumptions.assumeTrue(driver.isPresent(), "only the software GPU fails on purpose");
    return driver.orElseThrow();
  }

  @Test
  void aRequestForWhichThereIsNoMemoryAtAllEndsWithTheReason() {
    long budget;
    try (DecodeEngine engine = engine(options(3, KvGrowth.to(40)))) {
      budget = engine.metrics().kv().bytes();
    }
    // Nothing may be mapped beyond the start; the blocks of the first piece are in use.
    EngineOptions options = options(PIECE, KvGrowth.to(2 * PIECE).within(budget));
    try (DecodeEngine engine = engine(options)) {
      List<Long> held = new ArrayList<>();
      for (int i = 0; i < PIECE - 3; i++) {
        held.add(engine.runner().kv().allocator().allocate());
      }
      Recorded starved = submit(engine);
      Recorded.run(engine);
      assertThat(starved.reason).isEqualTo(FinishReason.FAILED);
      assertThat(starved.failure)
          .isInstanceOf(KvExhaustedException.class)
          .hasMessageContaining("raise the budget");
      held.forEach(engine.runner().kv().allocator()::release);
      Recorded next = submit(engine);
      Recorded.run(engine);
      assertThat(next.tokenArray()).isEqualTo(alone(2));
      assertThat(engine.metrics().graphs().cached()).as("graphs share the budget").isZero();
    }
  }

  @Test
  void aRequestThatNoGrowthCouldServeIsRefusedAtOnce() {
    try (DecodeEngine engine = engine(options(3, KvGrowth.to(4)))) {
      assertThatThrownBy(() -> submit(engine))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("the pool has 3");
    }
  }
}
