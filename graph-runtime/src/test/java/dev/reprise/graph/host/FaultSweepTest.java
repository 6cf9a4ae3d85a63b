package dev.reprise.graph.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.graph.adapter.AdapterOptions;
import dev.reprise.graph.decode.DecodeEngine;
import dev.reprise.graph.decode.DecodeMetrics;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.FinishReason;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.decode.TokenPenalties;
import dev.reprise.graph.kv.KvGrowth;
import dev.reprise.graph.schedule.RequestRefusedException;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.faults.FaultInjection;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Any use of any driver call of a serving run fails, with any of some codes: failed requests say
 * why, the others have their tokens, nothing hangs or is lost, and the host serves on or refuses
 * clearly. A build tries a few, drawn at random; {@code -Dreprise.faults.sweep=1000} tries more.
 */
@SuppressWarnings("NullAway.Init")
class FaultSweepTest {

  private static final int[] CODES = {
    cuda_h.CUDA_ERROR_OUT_OF_MEMORY(),
    cuda_h.CUDA_ERROR_LAUNCH_FAILED(),
    cuda_h.CUDA_ERROR_ILLEGAL_ADDRESS(),
    cuda_h.CUDA_ERROR_UNKNOWN(),
    cuda_h.CUDA_ERROR_NOT_SUPPORTED()
  };

  private static final int SAMPLE = 6;
  private static final int[] PROMPT = Toy.prompt(new Random(3), 11);
  private static final int TOKENS = 8;
  private static final int REQUESTS = 3;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

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

  /** A small pool that grows, adapters, penalties, two steps in flight. */
  private static EngineOptions options() {
    return Toy.serving(4).withKvGrowth(KvGrowth.to(40)).withAdapters(new AdapterOptions(1, 2));
  }

  private static SamplingParameters sampling(int i) {
    SamplingParameters plain = Toy.sampling(i);
    return i != 1 ? plain : plain.withPenalties(new TokenPenalties(1.3f, 0.4f, 0.2f));
  }

  private static List<RequestHandle> submit(DecodeHost host) {
    List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      handles.add(host.submit(Request.greedy(PROMPT, TOKENS).withSampling(sampling(i))));
    }
    return handles;
  }

  private static Completion end(RequestHandle handle, Object what) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (handle.completion().isEmpty()) {
      if (System.nanoTime() > deadline) {
        fail("%s: %s hangs", what, handle);
      }
      Thread.sleep(1);
    }
    return handle.await();
  }

  /** All faults there can be: each use of each call, with each code, in a random order. */
  private static List<FaultRule> rules(Map<String, Integer> uses, Random random) {
    List<FaultRule> rules = new ArrayList<>();
    uses.forEach((function, count) -> {
      for (int use = 1; use <= count; use++) {
        for (int code : CODES) {
          rules.add(FaultRule.call(function, use, code));
        }
      }
    });
    Collections.shuffle(rules, random);
    return rules.subList(
        0, Math.min(rules.size(), Integer.getInteger("reprise.faults.sweep", SAMPLE)));
  }

  private static Map<String, Integer> counted(List<String> calls) {
    Map<String, Integer> uses = new TreeMap<>();
    calls.forEach(call -> uses.merge(call, 1, Integer::sum));
    return uses;
  }

  /** What a run without faults gives, and the calls that it makes. */
  private record Clean(List<int[]> tokens, Map<String, Integer> uses) {}

  private static Clean clean() throws InterruptedException {
    try (Device device = Device.open(0);
        ToyModel model = new ToyModel(device);
        DecodeHost host = DecodeHost.start(device, model, options());
        FaultSession session = faults.install(FaultPlan.NONE, host.thread())) {
      List<int[]> tokens = new ArrayList<>();
      for (RequestHandle handle : serve(host)) {
        tokens.add(end(handle, "without faults").tokens());
      }
      // Replayed for certain: on a busy machine the others may have ended before the warm-up began.
      end(host.submit(Request.greedy(PROMPT, TOKENS)), "without faults");
      // Captures come when nothing else is to be done.
      host.metrics();
      host.close();
      return new Clean(tokens, counted(session.calls()));
    }
  }

  /** Serves, with an adapter loaded on the way; what that gives is not of interest. */
  private static List<RequestHandle> serve(DecodeHost host) {
    List<RequestHandle> handles = submit(host);
    try {
      host.adapters().load("a", ToyModel.adapter(1, 2, "qkv", "out"));
      host.warmUp();
    } catch (CudaException | IllegalStateException e) {
      assertThat(e).hasMessageNotContaining("defect");
    }
    return handles;
  }

  @Test
  void anyUseOfAnyCallThatFailsEndsRequestsClearlyAndLosesNothing() throws InterruptedException {
    long seed = Long.getLong("reprise.test.seed", new Random().nextLong());
    Clean clean = clean();
    assertThat(clean.uses).containsKeys("cuLaunchKernel", "cuGraphLaunch", "cuEventSynchronize");
    int injected = 0;
    int failed = 0;
    int lost = 0;
    List<FaultRule> rules = rules(clean.uses, new Random(seed));
    Bench bench = new Bench();
    try {
      for (FaultRule rule : rules) {
        String what = "seed " + seed + ", " + rule;
        Outcome outcome = tryOut(bench, rule, clean.tokens, what);
        injected += outcome.injected ? 1 : 0;
        failed += outcome.failed;
        lost += outcome.lost ? 1 : 0;
        if (outcome.lost) {
          bench.close();
          awaitFreshContext(what);
          bench = new Bench();
        }
      }
    } finally {
      bench.close();
    }
    assertThat(injected).as("faults that were reached, seed %d", seed).isPositive();
    if (rules.size() > SAMPLE) {
      System.out.printf(
          "fault sweep: seed %d, %d calls of %d functions, %d faults, %d reached, %d requests failed,"
              + " %d contexts lost%n",
          seed,
          clean.uses.values().stream().mapToInt(Integer::intValue).sum(),
          clean.uses.size(),
          rules.size(),
          injected,
          failed,
          lost);
    }
  }

  /** A lost context goes with the last thing that was made in it, which another thread destroys. */
  private static void awaitFreshContext(String what) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try (Device device = Device.open(0)) {
        assertThat(device.ordinal()).isZero();
        return;
      } catch (CudaException e) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError("the context is kept after " + what, e);
        }
        Thread.sleep(1);
      }
    }
  }

  private record Outcome(boolean injected, int failed, boolean lost) {}

  /** A device and a model, until their context is lost. */
  private static final class Bench implements AutoCloseable {
    private final Device device = Device.open(0);
    private final ToyModel model = new ToyModel(device);

    @Override
    public void close() {
      model.close();
      device.close();
    }
  }

  private static Outcome tryOut(Bench bench, FaultRule rule, List<int[]> wanted, String what)
      throws InterruptedException {
    try (DecodeHost host = DecodeHost.start(bench.device, bench.model, options())) {
      int failed = 0;
      boolean injected;
      try (FaultSession session = faults.install(FaultPlan.of(rule), host.thread())) {
        List<RequestHandle> handles = serve(host);
        for (int i = 0; i < wanted.size(); i++) {
          failed += check(end(handles.get(i), what), rule, wanted.get(i), what) ? 0 : 1;
        }
        host.metrics();
        injected = !session.injected().isEmpty();
      }
      boolean lost = !servesOn(host, wanted, what);
      if (!lost) {
        DecodeMetrics metrics = host.metrics();
        assertThat(metrics.kv().available()).as(what).isEqualTo(metrics.kv().blocks());
      }
      host.close();
      assertThat(host.thread().isAlive()).as(what).isFalse();
      return new Outcome(injected, failed, lost);
    }
  }

  /** Whether it has its tokens; else it says that this fault was why. */
  private static boolean check(Completion end, FaultRule rule, int[] tokens, String what) {
    if (end.reason() == FinishReason.LENGTH) {
      assertThat(end.tokens()).as(what).isEqualTo(tokens);
      return true;
    }
    assertThat(end.reason()).as("%s: %s", what, end).isEqualTo(FinishReason.FAILED);
    assertThat(end.failure().orElseThrow()).as(what).hasMessageContaining("(" + rule.code() + ")");
    return false;
  }

  /** Whether the host works; else each request is told that the device failed for good. */
  private static boolean servesOn(DecodeHost host, List<int[]> wanted, String what)
      throws InterruptedException {
    try {
      List<RequestHandle> next = submit(host);
      boolean works = true;
      for (int i = 0; i < wanted.size(); i++) {
        Completion end = end(next.get(i), "after " + what);
        works &= end.reason() == FinishReason.LENGTH;
        if (works) {
          assertThat(end.tokens()).as("after %s", what).isEqualTo(wanted.get(i));
        } else {
          // The engine refuses, or its first step finds out.
          assertThat(String.valueOf(end.failure().orElseThrow().getMessage()))
              .as("after %s", what)
              .containsAnyOf("failed for good", "The context is poisoned");
        }
      }
      return works;
    } catch (RequestRefusedException e) {
      assertThat(e.reason()).as(what).isEqualTo(RequestRefusedException.Reason.DEVICE_LOST);
      return false;
    }
  }

  @Test
  void anyCallThatFailsWhileAnEngineIsMadeLeavesNothingBehind() throws InterruptedException {
    long seed = Long.getLong("reprise.test.seed", new Random().nextLong());
    try (Device device = Device.open(0);
        ToyModel model = new ToyModel(device)) {
      long free = device.memoryInfo().freeBytes();
      Map<String, Integer> uses;
      DecodeEngine clean;
      try (FaultSession session = faults.install(FaultPlan.NONE, Thread.currentThread())) {
        clean = DecodeEngine.create(device, model, options());
        uses = counted(session.calls());
      }
      clean.close();
      for (FaultRule rule : rules(uses, new Random(seed))) {
        if (rule.code() == cuda_h.CUDA_ERROR_LAUNCH_FAILED()
            || rule.code() == cuda_h.CUDA_ERROR_ILLEGAL_ADDRESS()) {
          // They would end the context, and with it this test.
          continue;
        }
        create(device, model, rule, "seed " + seed + ", " + rule);
        assertThat(freeBytes(device, free))
            .as("free bytes, seed %d, %s", seed, rule)
            .isEqualTo(free);
      }
    }
  }

  /** Free bytes, once they are as wanted: some memory is given back by another thread. */
  private static long freeBytes(Device device, long wanted) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    device.synchronize();
    long free = device.memoryInfo().freeBytes();
    while (free != wanted && System.nanoTime() < deadline) {
      Thread.sleep(1);
      free = device.memoryInfo().freeBytes();
    }
    return free;
  }

  private static void create(Device device, ToyModel model, FaultRule rule, String what) {
    DecodeEngine made;
    try (FaultSession session = faults.install(FaultPlan.of(rule), Thread.currentThread())) {
      made = DecodeEngine.create(device, model, options());
      // What fails in the cleaning up of what is not needed is told, and the engine is good.
      assertThat(session.injected()).as(what).allMatch(i -> i.rule().equals(rule));
    } catch (CudaException e) {
      assertThat(e).as(what).hasMessageContaining("(" + rule.code() + ")");
      return;
    }
    made.close();
  }
}
