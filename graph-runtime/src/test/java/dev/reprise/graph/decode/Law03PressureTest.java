package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.kv.KvGrowth;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 3: one budget covers KV blocks and graphs. Where it does not do for both, graphs that are
 * worth least are given up before a request is preempted.
 */
class Law03PressureTest {

  @RegisterExtension static final Toy TOY = new Toy();

  /** Blocks in the piece of memory that is mapped at a time, 2 MiB. */
  private static final int PIECE = (2 << 20) / (ToyModel.BLOCK * 32 * Float.BYTES);

  /** A piece for the keys and one for the values. */
  private static final long GROWTH = 2L * (2 << 20);

  private static final int REQUESTS = 3;
  private static final int TOKENS = 40;
  private static final int[] PROMPT = Toy.prompt(new Random(4), 30);

  /** Leaves so few blocks that the requests need more than there are. */
  private static final int LEFT = 6;

  private static EngineOptions options(long budget) {
    return Toy.serving(PIECE)
        .withInFlight(1)
        .withCapture(CaptureMoment.AT_FIRST_USE)
        .withKvGrowth(KvGrowth.to(2 * PIECE).within(budget));
  }

  private static DecodeEngine engine(long budget) {
    return DecodeEngine.create(TOY.device(), TOY.model(), options(budget));
  }

  /** Device bytes of the pool as it starts, and of the graphs of all buckets. */
  private record Sizes(long pool, long graphs, int graphCount) {}

  private static Sizes sizes() {
    try (DecodeEngine engine = engine(Long.MAX_VALUE)) {
      warmUp(engine);
      DecodeMetrics metrics = engine.metrics();
      return new Sizes(metrics.kv().bytes(), metrics.graphs().bytes(), metrics.graphs().cached());
    }
  }

  private static void warmUp(DecodeEngine engine) {
    for (Bucket bucket : Toy.options().buckets().largestFirst()) {
      assertThat(engine.warmUp(bucket)).as("captured: %s", bucket).isTrue();
    }
  }

  /** Serves requests in few blocks, and holds what they give against what each has alone. */
  private static DecodeMetrics serve(DecodeEngine engine) {
    List<Long> held = new ArrayList<>();
    for (int i = 0; i < PIECE - 1 - LEFT; i++) {
      held.add(engine.runner().kv().allocator().allocate());
    }
    List<Recorded> all = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      all.add(Recorded.submit(engine, "s" + i, PROMPT, Toy.sampling(i), TOKENS));
    }
    Recorded.run(engine);
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(all.get(i).tokenArray())
          .isEqualTo(TOY.alone(PROMPT, Toy.sampling(i), TOKENS, Set.of()));
    }
    held.forEach(engine.runner().kv().allocator()::release);
    return engine.metrics();
  }

  @Test
  void asManyGraphsAsNeededAreGivenUpForBlocksAndNobodyIsPreempted() {
    Sizes sizes = sizes();
    long each = sizes.graphs / sizes.graphCount;
    // What grows takes the room of two graphs.
    long budget = sizes.pool + GROWTH + sizes.graphs - 2 * each;
    try (DecodeEngine engine = engine(budget)) {
      warmUp(engine);
      DecodeMetrics metrics = serve(engine);
      assertThat(metrics.kv().growths()).isPositive();
      assertThat(metrics.kv().refusedGrowths()).isZero();
      assertThat(metrics.requests().preemptions()).isZero();
      assertThat(metrics.graphs().givenUp()).isBetween(2L, (long) sizes.graphCount - 1);
      assertThat(metrics.kv().bytes() + metrics.graphs().bytes()).isLessThanOrEqualTo(budget);
      assertThat(metrics.steps().replays()).as("graphs that stayed go on").isPositive();
    }
  }

  @Test
  void noGraphIsGivenUpWhereAllOfThemWouldNotDo() {
    Sizes sizes = sizes();
    try (DecodeEngine engine = engine(sizes.pool + GROWTH - 1)) {
      warmUp(engine);
      DecodeMetrics metrics = serve(engine);
      assertThat(metrics.kv().growths()).isZero();
      assertThat(metrics.kv().refusedGrowths()).isPositive();
      assertThat(metrics.requests().preemptions()).isPositive();
      assertThat(metrics.graphs().givenUp()).isZero();
      assertThat(metrics.graphs().cached()).isGreaterThanOrEqualTo(sizes.graphCount);
    }
  }

  @Test
  void aDeviceWithoutMemoryGetsItFromGraphs() {
    SoftwareDriver driver = softwareDriver();
    try (DecodeEngine engine = engine(Long.MAX_VALUE)) {
      warmUp(engine);
      // Refuses the growth with room to spare, then the one that is needed, not the one after.
      FaultPlan plan =
          FaultPlan.of(
              FaultRule.call("cuMemCreate", 1, cuda_h.CUDA_ERROR_OUT_OF_MEMORY()),
              FaultRule.call("cuMemCreate", 2, cuda_h.CUDA_ERROR_OUT_OF_MEMORY()));
      DecodeMetrics metrics;
      try (FaultSession session = driver.faults().install(plan, Thread.currentThread())) {
        metrics = serve(engine);
        assertThat(session.injected()).isNotEmpty();
      }
      assertThat(metrics.graphs().givenUp()).isPositive();
      assertThat(metrics.kv().growths()).isPositive();
      assertThat(metrics.requests().preemptions()).isZero();
    }
  }

  private static SoftwareDriver softwareDriver() {
    var driver = SoftwareDriver.ofProcess();
    Assumptions.assumeTrue(driver.isPresent(), "only the software GPU fails on purpose");
    return driver.orElseThrow();
  }

  @Test
  void aStepWhoseGraphWasGivenUpIsNotCapturedAgainWhileThereIsNoRoom() {
    Sizes sizes = sizes();
    try (DecodeEngine engine = engine(sizes.pool + GROWTH + 1)) {
      warmUp(engine);
      long captures = engine.metrics().graphs().captures();
      DecodeMetrics metrics = serve(engine);
      assertThat(metrics.graphs().cached()).as("there is room for none").isZero();
      assertThat(metrics.graphs().givenUp()).isEqualTo(sizes.graphCount);
      assertThat(metrics.graphs().captures() - captures)
          .as("captures of steps over prompts, whose cost was not known")
          .isLessThanOrEqualTo(metrics.graphs().costs().size() - sizes.graphCount);
      assertThat(metrics.steps().eager()).containsKey(EagerReason.NO_ROOM);
    }
  }
}
