package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.cache.GraphLimits;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Law 3: memory is allocated once; captures go largest first and stop at their budget. */
class Law03MemoryTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int[] PROMPT = Toy.prompt(new Random(1), 20);

  @Test
  void stepsAllocateNoDeviceMemory() {
    EngineOptions options = Toy.serving(20).withGraphs(new GraphLimits(0, 0, 1));
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      long free = TOY.device().memoryInfo().freeBytes();
      Recorded.submit(engine, "a", PROMPT, Toy.sampling(1), 40);
      Recorded.submit(engine, "b", PROMPT, Toy.sampling(2), 30);
      Recorded.run(engine);
      assertThat(TOY.device().memoryInfo().freeBytes()).isEqualTo(free);
    }
  }

  @Test
  void warmingUpCapturesTheLargestAndStopsAtTheLimit() {
    EngineOptions options =
        Toy.serving(20).withInFlight(1).withGraphs(new GraphLimits(2, Long.MAX_VALUE, 9));
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      int captured = 0;
      for (Bucket bucket : options.decode().buckets().largestFirst()) {
        captured += engine.warmUp(bucket) ? 1 : 0;
      }
      GraphMetrics graphs = engine.metrics().graphs();
      assertThat(captured).isEqualTo(2);
      assertThat(graphs.cached()).isEqualTo(2);
      assertThat(graphs.evictions()).isZero();
      assertThat(graphs.costs().keySet())
          .extracting(StepShape::bucket)
          .containsExactly(new Bucket(4, ToyModel.CONTEXT), new Bucket(4, 32));
      Recorded one = Recorded.submit(engine, "one", PROMPT, Toy.sampling(3), 10);
      Recorded.run(engine);
      assertThat(one.tokenArray()).isEqualTo(TOY.alone(PROMPT, Toy.sampling(3), 10, Set.of()));
      assertThat(engine.metrics().steps().replays()).isZero();
    }
  }

  @Test
  void aLimitOnBytesIsKept() {
    EngineOptions options = Toy.serving(20).withInFlight(1);
    long bytesOfTwo;
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      engine.warmUp(new Bucket(4, ToyModel.CONTEXT));
      engine.warmUp(new Bucket(4, 32));
      bytesOfTwo = engine.metrics().graphs().bytes();
      assertThat(bytesOfTwo).isPositive();
    }
    EngineOptions tight = options.withGraphs(new GraphLimits(99, bytesOfTwo - 1, 9));
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), tight)) {
      assertThat(engine.warmUp(new Bucket(4, ToyModel.CONTEXT))).isTrue();
      assertThat(engine.warmUp(new Bucket(4, 32))).isFalse();
      assertThat(engine.metrics().graphs().bytes()).isBetween(1L, bytesOfTwo - 1);
    }
  }
}
