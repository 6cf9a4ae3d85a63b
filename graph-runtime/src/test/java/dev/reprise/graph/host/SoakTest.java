package dev.reprise.graph.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.toy.Toy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Many steps on one host, with requests that arrive, leave, are cancelled and preempted at random.
 * Too long for every build: run it with {@code -Dreprise.soak.steps=100000}.
 */
@EnabledIfSystemProperty(named = "reprise.soak.steps", matches = "\\d+")
class SoakTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private record Case(int[] prompt, SamplingParameters sampling, int[] alone) {}

  private record Running(RequestHandle handle, Case wanted) {}

  @Test
  void noTokenDiffersFromTheSoloRunAndNothingIsLeftBehind() throws InterruptedException {
    long seed = Long.getLong("reprise.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    List<Case> cases = cases(random);
    EngineOptions options = Toy.serving(12).withCheckedKv(true);
    long steps = Long.getLong("reprise.soak.steps", 0L);
    long start = System.nanoTime();
    try (DecodeHost host = DecodeHost.start(TOY.device(), TOY.model(), options)) {
      host.warmUp();
      // Besides graphs: some steps over prompts are captured on the way.
      long free = TOY.device().memoryInfo().freeBytes() + host.metrics().graphs().bytes();
      long usedBefore = usedHeap();
      Deque<Running> running = new ArrayDeque<>();
      long cancelled = 0;
      long served = 0;
      while (stepsOf(host.metrics()) < steps) {
        while (running.size() < 12) {
          running.add(submit(host, random, cases.get(random.nextInt(cases.size()))));
        }
        Running one = running.removeFirst();
        if (random.nextInt(8) == 0) {
          one.handle.cancel();
        }
        Completion end = one.handle.await();
        cancelled += end.reason() == FinishReason.CANCELLED ? 1 : 0;
        served++;
        assertThat(end.reason())
            .as("seed %d", seed)
            .isIn(FinishReason.LENGTH, FinishReason.CANCELLED);
        assertThat(end.tokens())
            .as("seed %d", seed)
            .isEqualTo(Arrays.copyOf(one.wanted.alone, end.tokens().length));
      }
      for (Running one : running) {
        one.handle.cancel();
        one.handle.await();
      }
      DecodeMetrics metrics = host.metrics();
      assertThat(metrics.kv().available()).isEqualTo(metrics.kv().blocks());
      assertThat(metrics.requests().running() + metrics.requests().waiting()).isZero();
      assertThat(TOY.device().memoryInfo().freeBytes() + metrics.graphs().bytes()).isEqualTo(free);
      System.out.printf(
          "soak: seed %d, %d steps in %d s, %d requests, %d cancelled, %d preemptions, %d of %d prompt positions reused, %d replays, %d eager, heap %d KiB before and %d KiB after%n",
          seed,
          stepsOf(metrics),
          (System.nanoTime() - start) / 1_000_000_000,
          served,
          cancelled,
          metrics.requests().preemptions(),
          metrics.requests().reusedPositions(),
          metrics.requests().promptPositions(),
          metrics.steps().replays(),
          metrics.steps().eagerSteps(),
          usedBefore / 1024,
          usedHeap() / 1024);
    }
  }

  private static Running submit(DecodeHost host, Random random, Case one) {
    Request request =
        Request.greedy(one.prompt, one.alone.length)
            .withSampling(one.sampling)
            .withPriority(Priority.values()[random.nextInt(3)])
            .withFlow("flow" + random.nextInt(3));
    return new Running(host.submit(request), one);
  }

  private static List<Case> cases(Random random) {
    int[] beginning = Toy.prompt(random, 40);
    List<Case> cases = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      int shared = random.nextInt(beginning.length);
      int[] prompt = Arrays.copyOf(beginning, shared + 1 + random.nextInt(6));
      for (int t = shared; t < prompt.length; t++) {
        prompt[t] = random.nextInt(60);
      }
      SamplingParameters sampling = Toy.sampling(random.nextLong());
      cases.add(
          new Case(
              prompt, sampling, TOY.alone(prompt, sampling, 1 + random.nextInt(40), Set.of())));
    }
    return cases;
  }

  private static long stepsOf(DecodeMetrics metrics) {
    return metrics.steps().replays() + metrics.steps().eagerSteps() + metrics.steps().prefills();
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
