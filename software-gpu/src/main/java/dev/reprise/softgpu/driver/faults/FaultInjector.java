package dev.reprise.softgpu.driver.faults;

import dev.reprise.softgpu.faults.FaultInjection;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Holds the plan that is installed in one driver, if any. Thread-safe. */
public final class FaultInjector implements FaultInjection {

  private final Set<String> functions;
  private final LongConsumer memoryLimit;
  private volatile @Nullable InstalledPlan installed;

  /**
   * An injector without a plan.
   *
   * @param functions the exported symbols of the driver
   * @param memoryLimit limits the device memory that may be in use
   */
  public FaultInjector(Set<String> functions, LongConsumer memoryLimit) {
    this.functions = functions;
    this.memoryLimit = memoryLimit;
  }

  /** True while no plan is installed, which is nearly always. */
  public boolean idle() {
    return installed == null;
  }

  /** Counts a call that begins on this thread; the rule by which it fails, or null. */
  public @Nullable FaultRule called(String symbol) {
    InstalledPlan plan = installed;
    return plan == null ? null : plan.called(symbol);
  }

  @Override
  public FaultSession install(FaultPlan plan) {
    return install(new InstalledPlan(plan, null, true, this::remove));
  }

  @Override
  public FaultSession install(FaultPlan plan, Thread caller) {
    return install(new InstalledPlan(plan, caller, true, this::remove));
  }

  /** Installs the plan of the settings, for as long as the driver lives. */
  public void installForGood(FaultPlan plan) {
    install(new InstalledPlan(plan, null, false, this::remove));
  }

  private synchronized InstalledPlan install(InstalledPlan plan) {
    for (FaultRule rule : plan.plan().rules()) {
      checkFunction(rule);
    }
    InstalledPlan other = installed;
    if (other != null) {
      throw new IllegalStateException(
          "A fault plan is installed already: '%s'. Close it first.".formatted(other.plan()));
    }
    memoryLimit.accept(plan.plan().memoryBytes());
    installed = plan;
    return plan;
  }

  private synchronized void remove(InstalledPlan plan) {
    if (installed == plan) {
      installed = null;
      memoryLimit.accept(FaultPlan.NO_LIMIT);
    }
  }

  private void checkFunction(FaultRule rule) {
    String function = rule.function();
    if (function.equals(FaultRule.ANY) || functions.contains(function)) {
      return;
    }
    String base = function.replaceFirst("_v\\d+$", "");
    String near =
        functions.stream()
            .filter(symbol -> symbol.replaceFirst("_v\\d+$", "").equals(base))
            .findFirst()
            .map(symbol -> "; it has " + symbol)
            .orElse("");
    throw new IllegalArgumentException(
        "'%s': the software GPU has no function %s%s".formatted(rule, function, near));
  }
}
