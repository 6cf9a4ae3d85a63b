package dev.reprise.softgpu.sanitizer;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the sanitizer looks for.
 *
 * @param level how much
 * @param suppressed kinds that are not reported
 * @param limit reports that are kept and logged; later ones are only counted
 * @param exitStatus with which the process ends if there are reports; 0 leaves the status alone
 */
public record SanitizerOptions(
    SanitizerLevel level, Set<ReportKind> suppressed, int limit, int exitStatus) {

  private static final int LIMIT = 100;

  /** Faults are reported, without stacks. */
  public static final SanitizerOptions DEFAULT =
      new SanitizerOptions(SanitizerLevel.FAULTS, Set.of(), LIMIT, 0);

  /** Everything is looked for. */
  public static final SanitizerOptions FULL =
      new SanitizerOptions(SanitizerLevel.FULL, Set.of(), LIMIT, 0);

  /** Refuses a limit below 1 and a status that no process can end with. */
  public SanitizerOptions {
    suppressed = Set.copyOf(suppressed);
    if (limit < 1) {
      throw new IllegalArgumentException("the limit must be at least 1, not " + limit);
    }
    if (exitStatus < 0 || exitStatus > 255) {
      throw new IllegalArgumentException("exit must be 0 to 255, not " + exitStatus);
    }
  }

  /** True when mistakes of this kind are to be looked for. */
  public boolean wants(ReportKind kind) {
    return level.compareTo(kind.level()) >= 0 && !suppressed.contains(kind);
  }

  /** True when Java stacks are to be kept. */
  public boolean stacks() {
    return level.compareTo(SanitizerLevel.STACKS) >= 0;
  }

  /** True when kernels must be interpreted, each access seen. */
  public boolean full() {
    return level == SanitizerLevel.FULL;
  }

  /**
   * Reads parts separated by commas: a level ({@code off}, {@code faults}, {@code stacks}, {@code
   * full}), {@code -KIND} to suppress a kind, {@code limit=N}, {@code exit=N}.
   *
   * @throws IllegalArgumentException for a part that is none of these
   */
  public static SanitizerOptions parse(String text) {
    SanitizerLevel level = SanitizerLevel.FAULTS;
    Set<ReportKind> suppressed = EnumSet.noneOf(ReportKind.class);
    int limit = LIMIT;
    int exit = 0;
    for (String each : text.split(",", -1)) {
      String part = each.strip();
      if (part.startsWith("-")) {
        suppressed.add(kind(part.substring(1)));
      } else if (part.startsWith("limit=")) {
        limit = number(part);
      } else if (part.startsWith("exit=")) {
        exit = number(part);
      } else if (!part.isEmpty()) {
        level = level(part);
      }
    }
    return new SanitizerOptions(level, suppressed, limit, exit);
  }

  private static SanitizerLevel level(String text) {
    return Arrays.stream(SanitizerLevel.values())
        .filter(level -> level.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "'" + text + "': it must be off, faults, stacks, full, -KIND, limit=N or exit=N"));
  }

  private static ReportKind kind(String text) {
    return Arrays.stream(ReportKind.values())
        .filter(kind -> kind.text().equals(text.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "'-%s': the kinds are %s"
                    .formatted(
                        text,
                        Arrays.stream(ReportKind.values())
                            .map(ReportKind::text)
                            .collect(Collectors.joining(", ")))));
  }

  private static int number(String part) {
    try {
      return Integer.parseInt(part.substring(part.indexOf('=') + 1).strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + part + "': a whole number is missing", e);
    }
  }
}
