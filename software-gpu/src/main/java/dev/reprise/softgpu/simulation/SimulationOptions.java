package dev.reprise.softgpu.simulation;

import java.util.OptionalLong;

/**
 * Whether a driver simulates from its start.
 *
 * @param seed empty for no
 * @param stallMillis after how many milliseconds without a call of the program work goes on
 */
public record SimulationOptions(OptionalLong seed, int stallMillis) {

  private static final int STALL_MILLIS = 250;

  /** Work runs on threads. */
  public static final SimulationOptions OFF =
      new SimulationOptions(OptionalLong.empty(), STALL_MILLIS);

  /** Refuses a pause below a millisecond. */
  public SimulationOptions {
    if (stallMillis < 1) {
      throw new IllegalArgumentException(
          "stall must be at least 1 millisecond, not " + stallMillis);
    }
  }

  /**
   * Reads {@code off}, or {@code seed=N}, with {@code stall=MILLISECONDS} behind a comma.
   *
   * @throws IllegalArgumentException for anything else
   */
  public static SimulationOptions parse(String text) {
    OptionalLong seed = OptionalLong.empty();
    int stall = STALL_MILLIS;
    for (String each : text.split(",", -1)) {
      String part = each.strip();
      if (part.startsWith("seed=")) {
        seed = OptionalLong.of(number(part, Long.MIN_VALUE, Long.MAX_VALUE));
      } else if (part.startsWith("stall=")) {
        stall = (int) number(part, 1, Integer.MAX_VALUE);
      } else if (!part.isEmpty() && !part.equals("off")) {
        throw new IllegalArgumentException(
            "'" + part + "': it must be off, seed=N or stall=MILLISECONDS");
      }
    }
    return new SimulationOptions(seed, stall);
  }

  private static long number(String part, long least, long most) {
    String digits = part.substring(part.indexOf('=') + 1).strip();
    try {
      long value = Long.parseLong(digits);
      if (value >= least && value <= most) {
        return value;
      }
      throw new IllegalArgumentException(
          "'%s': it must be from %d to %d".formatted(part, least, most));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + part + "': a whole number is missing", e);
    }
  }
}
