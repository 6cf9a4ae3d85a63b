package dev.reprise.softgpu.driver.faults;

import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A plan and the calls counted under it. Thread-safe. */
final class InstalledPlan implements FaultSession {

  private static final Logger LOG = LoggerFactory.getLogger("dev.reprise.softgpu.faults");

  private final FaultPlan plan;

  /** The only thread whose calls count; null for all. */
  private final @Nullable Thread caller;

  /**
   * Whether a test asks what happened, which takes memory for each call; else faults are logged.
   */
  private final boolean keepsCalls;

  private final Consumer<InstalledPlan> remove;

  private final List<String> calls = new ArrayList<>();
  private final Map<String, Long> counts = new HashMap<>();
  private final List<Injected> injected = new ArrayList<>();
  private long total;

  InstalledPlan(
      FaultPlan plan, @Nullable Thread caller, boolean keepsCalls, Consumer<InstalledPlan> remove) {
    this.plan = plan;
    this.caller = caller;
    this.keepsCalls = keepsCalls;
    this.remove = remove;
  }

  FaultPlan plan() {
    return plan;
  }

  synchronized @Nullable FaultRule called(String symbol) {
    if (caller != null && caller != Thread.currentThread()) {
      return null;
    }
    total++;
    long use = counts.merge(symbol, 1L, Long::sum);
    if (keepsCalls) {
      calls.add(symbol);
    }
    for (FaultRule rule : plan.rules()) {
      long counted = rule.function().equals(FaultRule.ANY) ? total : use;
      if (rule.counts(symbol) && counted >= rule.firstUse() && counted <= rule.lastUse()) {
        note(new Injected(symbol, use, rule));
        return rule;
      }
    }
    return null;
  }

  private void note(Injected fault) {
    if (keepsCalls) {
      injected.add(fault);
    } else {
      LOG.warn(
          "Call {} of {} meets the fault plan: {}", fault.use(), fault.function(), fault.rule());
    }
  }

  @Override
  public synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  @Override
  public synchronized long count(String function) {
    return counts.getOrDefault(function, 0L);
  }

  @Override
  public synchronized List<Injected> injected() {
    return List.copyOf(injected);
  }

  @Override
  public void close() {
    remove.accept(this);
  }
}
