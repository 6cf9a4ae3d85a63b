package dev.reprise.softgpu.rules;

import java.util.EnumSet;
import java.util.Set;

/**
 * What open rules are taken for. Immutable.
 *
 * @param second the rules of which the second answer holds
 */
public record OpenRules(Set<OpenRule> second) {

  /** Environment variable, or system property, that {@link #parse} reads. */
  public static final String SETTING = "REPRISE_SOFTGPU_RULES";

  /** The first answer of every rule. */
  public static final OpenRules DEFAULT = new OpenRules(Set.of());

  public OpenRules {
    second = Set.copyOf(second);
  }

  /** The second answers of these rules, and the first ones of all others. */
  public static OpenRules second(OpenRule... rules) {
    return new OpenRules(Set.of(rules));
  }

  /** True when the second answer of a rule holds. */
  public boolean takesSecond(OpenRule rule) {
    return second.contains(rule);
  }

  /**
   * Reads a list of {@code rule=answer}, separated by semicolons, such as {@code
   * trap=715;module-load=allowed}.
   *
   * @throws IllegalArgumentException for a rule or an answer that does not exist
   */
  public static OpenRules parse(String text) {
    Set<OpenRule> second = EnumSet.noneOf(OpenRule.class);
    for (String part : text.split(";", -1)) {
      if (part.isBlank()) {
        continue;
      }
      int equals = part.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("'" + part.strip() + "' is not of the form rule=answer");
      }
      OpenRule rule = rule(part.substring(0, equals).strip());
      String answer = part.substring(equals + 1).strip();
      if (answer.equals(rule.second())) {
        second.add(rule);
      } else if (answer.equals(rule.first())) {
        second.remove(rule);
      } else {
        throw new IllegalArgumentException(
            "%s is '%s' or '%s', not '%s'"
                .formatted(rule.setting(), rule.first(), rule.second(), answer));
      }
    }
    return new OpenRules(second);
  }

  private static OpenRule rule(String name) {
    StringBuilder known = new StringBuilder();
    for (OpenRule rule : OpenRule.values()) {
      if (rule.setting().equals(name)) {
        return rule;
      }
      known.append(known.isEmpty() ? "" : ", ").append(rule.setting());
    }
    throw new IllegalArgumentException("no rule '" + name + "'; there are " + known);
  }

  /** What the property or else the environment says. */
  public static OpenRules fromEnvironment() {
    String text = System.getProperty(SETTING, System.getenv(SETTING));
    try {
      return text == null ? DEFAULT : parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(SETTING + ": " + e.getMessage(), e);
    }
  }
}
