package dev.reprise.graph.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.graph.decode.CaptureMoment;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.host.Completion;
import dev.reprise.graph.host.DecodeHost;
import dev.reprise.graph.host.Request;
import dev.reprise.graph.host.RequestHandle;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.sanitizer.Report;
import dev.reprise.softgpu.simulation.SimulationSession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Serving under seeded schedules: capture, replay with two steps in flight, staging, paged KV with
 * shared prefixes and too few blocks. Whatever order the device takes, each request has the tokens
 * that it has alone on threads, and the sanitizer has nothing to say. {@code
 * -Dreprise.simulation.seeds=200} tries more seeds, {@code -Dreprise.simulation.first=N} begins
 * with another one.
 */
class SimulatedServingTest {

  private static final int FEW = 3;
  private static final int CASES = 4;
  private static final int REQUESTS = 8;

  private record Case(int[] prompt, SamplingParameters sampling, int count, int[] alone) {}

  private static final List<Case> CASE_LIST = new ArrayList<>();

  @BeforeAll
  static void findWhatEachRequestHasAlone() {
    Random random = new Random(1);
    int[] beginning = Toy.prompt(random, 20);
    try (Device device = Device.open(0);
        ToyModel model = new ToyModel(device)) {
      for (int i = 0; i < CASES; i++) {
        int[] prompt = Arrays.copyOf(beginning, 12 + random.nextInt(12));
        for (int t = 10; t < prompt.length; t++) {
          prompt[t] = random.nextInt(ToyModel.VOCABULARY);
        }
        SamplingParameters sampling =
            i == 0 ? SamplingParameters.greedy() : Toy.sampling(random.nextLong());
        int count = 6 + random.nextInt(10);
        try (DecodeLoop loop = DecodeLoop.create(device, model, Toy.options().withEager(true))) {
          int[] alone = loop.generate(prompt, sampling, count, Set.of(), token -> true).tokens();
          CASE_LIST.add(new Case(prompt, sampling, count, alone));
        }
      }
    }
  }

  @AfterAll
  static void forget() {
    CASE_LIST.clear();
  }

  static LongStream seeds() {
    long first = Long.getLong("reprise.simulation.first", 1);
    return LongStream.range(first, first + Integer.getInteger("reprise.simulation.seeds", FEW));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyRequestHasTheTokensThatItHasAlone(long seed) throws InterruptedException {
    SoftwareDriver driver = SoftwareDriver.ofProcess().orElseThrow();
    try (SimulationSession session = driver.simulation().begin(seed)) {
      serve(seed);
      assertThat(session.order()).as("pieces of work that the seed ordered").isNotEmpty();
    }
    assertThat(driver.sanitizer().reports()).as("seed %d", seed).extracting(Report::text).isEmpty();
  }

  private static void serve(long seed) throws InterruptedException {
    Random random = new Random(seed);
    EngineOptions options =
        Toy.serving(9)
            .withInFlight(1 + random.nextInt(2))
            .withPrefixReuse(random.nextBoolean())
            .withCapture(
                random.nextBoolean() ? CaptureMoment.AT_FIRST_USE : CaptureMoment.WHEN_IDLE)
            .withCheckedKv(true);
    try (Device device = Device.open(0);
        ToyModel model = new ToyModel(device);
        DecodeHost host = DecodeHost.start(device, model, options)) {
      List<RequestHandle> handles = new ArrayList<>();
      List<Case> wanted = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        Case one = CASE_LIST.get(random.nextInt(CASES));
        handles.add(host.submit(Request.greedy(one.prompt, one.count).withSampling(one.sampling)));
        wanted.add(one);
      }
      for (int i = 0; i < REQUESTS; i++) {
        Completion end = handles.get(i).await();
        assertThat(end.tokens())
            .as("request %d, seed %d, %s", i, seed, options)
            .isEqualTo(wanted.get(i).alone);
      }
    }
  }
}
