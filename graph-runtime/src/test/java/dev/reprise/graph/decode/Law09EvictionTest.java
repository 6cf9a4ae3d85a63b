package dev.reprise.graph.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.cache.CaptureCost;
import dev.reprise.graph.cache.CapturedStep;
import dev.reprise.graph.cache.GraphCache;
import dev.reprise.graph.cache.GraphKey;
import dev.reprise.graph.cache.GraphLimits;
import dev.reprise.graph.toy.Toy;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Law 9: the graph worth least leaves first and never in flight; keys that are captured and not
 * replayed trip a breaker.
 */
class Law09EvictionTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final GraphKey.Environment SAME =
      new GraphKey.Environment("m", "a", "w", "x", "kv", "k", "att", "dev", "drv");

  private static CapturedStep step(Stream stream, DeviceBuffer buffer, int rows, long bytes) {
    Graph graph = stream.capture(capture -> stream.fill32(buffer, 0, 1, rows));
    return new CapturedStep(
        new GraphKey(SAME, rows, 1, 1, 1, 0, false, false),
        graph,
        graph.instantiate(),
        new CaptureCost(1, 1, 1, bytes, 1));
  }

  @Test
  void usesSavingAndBytesDecideAndWhatIsInFlightStays() {
    try (Stream stream = TOY.device().createStream("steps");
        DeviceBuffer buffer = TOY.device().allocate("buffer", 4);
        GraphCache cache = new GraphCache(new GraphLimits(2, 1000, 9))) {
      CapturedStep hot = step(stream, buffer, 1, 100);
      CapturedStep cold = step(stream, buffer, 2, 100);
      assertThat(cache.add(hot, 0, -1, true)).isTrue();
      assertThat(cache.add(cold, 0, -1, true)).isTrue();
      cold.replay(stream, 0);
      for (int launch = 1; launch < 10; launch++) {
        hot.replay(stream, launch);
      }
      CapturedStep wanted = step(stream, buffer, 3, 100);
      wanted.wanted(5, 10);
      assertThat(cache.add(wanted, 10, 9, true)).isTrue();
      assertThat(cold.isClosed()).isTrue();

      // A large saving outweighs fewer uses; a large graph weighs against itself.
      wanted.saves(1e6);
      CapturedStep large = step(stream, buffer, 4, 500);
      large.wanted(8, 10);
      assertThat(cache.add(large, 10, 9, true)).as("the large one is worth least").isFalse();
      assertThat(large.isClosed()).isTrue();

      // Both others are in flight, so the newest gives way however much it is wanted.
      hot.replay(stream, 10);
      wanted.replay(stream, 11);
      CapturedStep late = step(stream, buffer, 5, 100);
      late.wanted(1000, 12);
      late.saves(1e9);
      assertThat(cache.add(late, 12, 9, true)).isFalse();
      assertThat(hot.isClosed() || wanted.isClosed()).isFalse();
      stream.synchronize();
      assertThat(cache.bytes()).isEqualTo(200);
      assertThat(cache.evictions()).isEqualTo(1);
    }
  }

  @Test
  void aNewKeyForEveryStepStopsCapturesAfterAFew() {
    int[] prompt = Toy.prompt(new Random(1), 6);
    DecodeOptions decode =
        Toy.options()
            .withBuckets(BucketSet.of(List.of(1), IntStream.rangeClosed(1, 96).boxed().toList()));
    EngineOptions options =
        EngineOptions.serial(decode).withGraphs(new GraphLimits(100, Long.MAX_VALUE, 5));
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      Recorded one = Recorded.submit(engine, "one", prompt, Toy.sampling(1), 40);
      Recorded.run(engine);
      assertThat(one.tokenArray()).isEqualTo(TOY.alone(prompt, Toy.sampling(1), 40, Set.of()));
      assertThat(engine.metrics().graphs().captures()).isEqualTo(5);
      assertThat(engine.metrics().graphs().breakerTrips()).isEqualTo(1);
      assertThat(engine.metrics().steps().eager()).containsEntry(EagerReason.BREAKER, 34L);
    }
  }

  @Test
  void keysThatAreReplayedDoNotTripIt() {
    int[] prompt = Toy.prompt(new Random(1), 6);
    DecodeOptions decode =
        Toy.options()
            .withBuckets(BucketSet.of(List.of(1), List.of(12, 24, 36, 48, 60, 72, 84, 96)));
    EngineOptions options =
        EngineOptions.serial(decode).withGraphs(new GraphLimits(100, Long.MAX_VALUE, 2));
    try (DecodeEngine engine = DecodeEngine.create(TOY.device(), TOY.model(), options)) {
      Recorded.submit(engine, "one", prompt, Toy.sampling(1), 80);
      Recorded.run(engine);
      assertThat(engine.metrics().graphs().captures()).isEqualTo(8);
      assertThat(engine.metrics().steps().eagerSteps()).isZero();
    }
  }
}
