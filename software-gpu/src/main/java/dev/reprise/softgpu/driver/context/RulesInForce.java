package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.rules.OpenRule;
import dev.reprise.softgpu.rules.OpenRules;

/** The answers to open rules that one driver gives now. Thread-safe. */
public final class RulesInForce {

  private volatile OpenRules rules = OpenRules.DEFAULT;

  /** Gives these answers from now on. */
  public void set(OpenRules chosen) {
    rules = chosen;
  }

  /** True when the second answer of a rule holds. */
  public boolean takesSecond(OpenRule rule) {
    return rules.takesSecond(rule);
  }
}
