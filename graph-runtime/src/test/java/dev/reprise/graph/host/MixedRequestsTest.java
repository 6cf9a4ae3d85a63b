package dev.reprise.graph.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.decode.TokenPenalties;
import dev.reprise.graph.schedule.Priority;
import dev.reprise.graph.toy.Toy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The tokens of a request are those that it has alone, whatever runs beside it: arrivals,
 * cancellations, shortage of blocks, shared prefixes, steps in flight.
 */
class MixedRequestsTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int REQUESTS = 24;

  private record Case(int[] prompt, SamplingParameters sampling, int count, int[] alone) {}

  private static List<Case> cases(Random random) {
    List<int[]> beginnings = List.of(Toy.prompt(random, 34), Toy.prompt(random, 17));
    List<Case> cases = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int[] beginning = beginnings.get(random.nextInt(2));
      int shared = random.nextInt(beginning.length);
      int[] prompt = Arrays.copyOf(beginning, shared + 1 + random.nextInt(6));
      for (int t = shared; t < prompt.length; t++) {
        prompt[t] = random.nextInt(60);
      }
      SamplingParameters sampling =
          random.nextInt(3) == 0 ? SamplingParameters.greedy() : Toy.sampling(random.nextLong());
      if (random.nextInt(2) == 0) {
        sampling =
            sampling.withPenalties(
                new TokenPenalties(
                    1 + random.nextFloat(), random.nextFloat(), random.nextFloat() / 2));
      }
      int count = 1 + random.nextInt(30);
      cases.add(new Case(prompt, sampling, count, TOY.alone(prompt, sampling, count, Set.of())));
    }
    return cases;
  }

  @Test
  void everyMixGivesEachRequestTheTokensThatItHasAlone() throws InterruptedException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Case> cases = cases(random);
    long preemptions = 0;
    long reused = 0;
    long replays = 0;
    for (int inFlight = 1; inFlight <= 2; inFlight++) {
      for (boolean prefixes : new boolean[] {false, true}) {
        EngineOptions options =
            Toy.serving(9).withInFlight(inFlight).withPrefixReuse(prefixes).withCheckedKv(true);
        DecodeMetrics metrics = run(random, cases, options, "seed " + seed + ", " + options);
        preemptions += metrics.requests().preemptions();
        reused += metrics.requests().reusedPositions();
        replays += metrics.steps().replays();
      }
    }
    assertThat(preemptions).as("preemptions, seed %d", seed).isPositive();
    assertThat(reused).as("reused positions, seed %d", seed).isPositive();
    assertThat(replays).as("replays, seed %d", seed).isPositive();
  }

  private static DecodeMetrics run(
      Random random, List<Case> cases, EngineOptions options, String what)
      throws InterruptedException {
    try (DecodeHost host = DecodeHost.start(TOY.device(), TOY.model(), options)) {
      host.warmUp();
      List<RequestHandle> handles = new ArrayList<>();
      List<Case> wanted = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        Case one = cases.get(random.nextInt(cases.size()));
        Request request =
            Request.greedy(one.prompt, one.count)
                .withSampling(one.sampling)
                .withPriority(Priority.values()[random.nextInt(3)])
                .withFlow("flow" + random.nextInt(2));
        handles.add(host.submit(request));
        wanted.add(one);
        if (random.nextInt(3) == 0) {
          handles.get(random.nextInt(handles.size())).next();
        }
        if (random.nextInt(6) == 0) {
          handles.get(random.nextInt(handles.size())).cancel();
        }
      }
      for (int i = 0; i < handles.size(); i++) {
        Completion end = handles.get(i).await();
        int[] alone = wanted.get(i).alone;
        assertThat(end.reason()).as(what).isIn(FinishReason.LENGTH, FinishReason.CANCELLED);
        assertThat(end.tokens()).as(what).isEqualTo(Arrays.copyOf(alone, end.tokens().length));
        if (end.reason() == FinishReason.LENGTH) {
          assertThat(end.tokens()).as(what).hasSize(alone.length);
        }
      }
      DecodeMetrics metrics = host.metrics();
      assertThat(metrics.kv().available()).as(what).isEqualTo(metrics.kv().blocks());
      return metrics;
    }
  }
}
