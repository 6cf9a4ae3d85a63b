package dev.reprise.graph.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.decode.TokenPenalties;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.faults.FaultInjection;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Driver calls of a serving run that fail: every request ends with its tokens or one clear error,
 * none hangs, blocks come back, and the next request works where the context survived.
 */
@SuppressWarnings("NullAway.Init")
class FaultedHostTest {

  private static final int[] PROMPT = Toy.prompt(new Random(3), 11);
  private static final int TOKENS = 8;
  private static final int USES = 2;

  private static FaultInjection faults;

  @BeforeAll
  static void findSoftwareDriver() {
    try (Device device = Device.open(0)) {
      assertThat(device.name()).isNotEmpty();
    }
    Optional<SoftwareDriver> driver = SoftwareDriver.ofProcess();
    Assumptions.assumeTrue(driver.isPresent(), "only the software GPU fails on purpose");
    faults = driver.orElseThrow().faults();
  }

  /** What a run under a plan gave. */
  private record Outcome(List<Completion> ends, Set<String> calls, int injected) {}

  /** Captures, then serves requests, with the plan for the calls of the host's thread. */
  private static Outcome serve(DecodeHost host, FaultPlan plan) throws InterruptedException {
    try (FaultSession session = faults.install(plan, host.thread())) {
      try {
        host.warmUp();
      } catch (RuntimeException e) {
        assertThat(e).isInstanceOf(CudaException.class);
      }
      List<Completion> ends = new ArrayList<>();
      for (RequestHandle handle : submit(host)) {
        ends.add(handle.await());
      }
      return new Outcome(ends, new TreeSet<>(session.calls()), session.injected().size());
    }
  }

  private static List<RequestHandle> submit(DecodeHost host) {
    List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      handles.add(host.submit(Request.greedy(PROMPT, TOKENS).withSampling(sampling(i))));
    }
    return handles;
  }

  /** One request with penalties and one without. */
  private static SamplingParameters sampling(int seed) {
    SamplingParameters plain = Toy.sampling(seed);
    return seed == 0 ? plain : plain.withPenalties(new TokenPenalties(1.3f, 0.4f, 0.2f));
  }

  private static int[] alone(Device device, ToyModel model, int seed) throws InterruptedException {
    EngineOptions eager = Toy.serving(20).withInFlight(1);
    try (DecodeHost host = DecodeHost.start(device, model, eager)) {
      return host.submit(Request.greedy(PROMPT, TOKENS).withSampling(sampling(seed)))
          .await()
          .tokens();
    }
  }

  @Test
  void everyCallThatFailsOnceEndsRequestsClearlyAndTheNextOneWorks() throws InterruptedException {
    EngineOptions options = Toy.serving(20);
    try (Device device = Device.open(0);
        ToyModel model = new ToyModel(device)) {
      List<int[]> wanted = List.of(alone(device, model, 0), alone(device, model, 1));
      Set<String> functions;
      try (DecodeHost host = DecodeHost.start(device, model, options)) {
        Outcome clean = serve(host, FaultPlan.NONE);
        assertThat(clean.ends).allMatch(end -> end.reason() == FinishReason.LENGTH);
        functions = clean.calls;
      }
      assertThat(functions).contains("cuLaunchKernel", "cuGraphLaunch", "cuEventRecord");
      int failed = 0;
      for (String function : functions) {
        FaultRule invalidated =
            FaultRule.call(function, 1, cuda_h.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED());
        failed += check(device, model, options, invalidated, wanted);
        for (int use = 1; use <= USES; use++) {
          FaultRule rule = FaultRule.call(function, use, cuda_h.CUDA_ERROR_OUT_OF_MEMORY());
          failed += check(device, model, options, rule, wanted);
        }
      }
      assertThat(failed).as("requests that a fault ended").isPositive();
    }
  }

  private static int check(
      Device device, ToyModel model, EngineOptions options, FaultRule rule, List<int[]> wanted)
      throws InterruptedException {
    int failed = 0;
    try (DecodeHost host = DecodeHost.start(device, model, options)) {
      Outcome outcome = serve(host, FaultPlan.of(rule));
      for (int i = 0; i < wanted.size(); i++) {
        Completion end = outcome.ends.get(i);
        if (end.reason() == FinishReason.FAILED) {
          failed++;
          assertThat(end.failure().orElseThrow())
              .as("%s", rule)
              .isInstanceOf(CudaException.class)
              .hasMessageContaining("(" + rule.code() + ")");
        } else {
          assertThat(end.reason()).as("%s: %s", rule, end).isEqualTo(FinishReason.LENGTH);
          assertThat(end.tokens()).as("%s", rule).isEqualTo(wanted.get(i));
        }
      }
      List<RequestHandle> next = submit(host);
      for (int i = 0; i < wanted.size(); i++) {
        assertThat(next.get(i).await().tokens()).as("after %s", rule).isEqualTo(wanted.get(i));
      }
      DecodeMetrics metrics = host.metrics();
      assertThat(metrics.kv().available()).as("%s", rule).isEqualTo(metrics.kv().blocks());
    }
    return failed;
  }

  @Test
  void aLostContextEndsEveryRequestAndRefusesTheNext() throws InterruptedException {
    try (Device device = Device.open(0);
        ToyModel model = new ToyModel(device);
        DecodeHost host = DecodeHost.start(device, model, Toy.serving(20))) {
      FaultRule rule = FaultRule.call("cuLaunchKernel", 30, cuda_h.CUDA_ERROR_ILLEGAL_ADDRESS());
      List<RequestHandle> handles = new ArrayList<>();
      try (FaultSession session = faults.install(FaultPlan.of(rule), host.thread())) {
        for (int i = 0; i < 7; i++) {
          handles.add(host.submit(Request.greedy(PROMPT, 60)));
        }
        for (RequestHandle handle : handles) {
          Completion end = handle.await();
          assertThat(end.reason()).isEqualTo(FinishReason.FAILED);
          assertThat(end.failure().orElseThrow()).hasMessageContaining("ILLEGAL_ADDRESS");
        }
        assertThat(session.injected()).hasSize(1);
      }
      Completion late = lateAnswer(host);
      assertThat(late.reason()).isEqualTo(FinishReason.FAILED);
      assertThat(late.failure().orElseThrow())
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("the device failed for good");
      assertThatThrownBy(() -> host.submit(Request.greedy(new int[0], 1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static Completion lateAnswer(DecodeHost host) throws InterruptedException {
    return host.submit(Request.greedy(PROMPT, 5)).await();
  }
}
