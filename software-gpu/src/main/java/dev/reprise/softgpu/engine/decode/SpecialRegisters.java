package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.Program.Special;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Names of special registers (PTX ISA, "Special Registers"). */
final class SpecialRegisters {
  private SpecialRegisters() {}

  /** The special register whose value a block knows, or null. */
  static @Nullable Special of(String name) {
    if (!name.startsWith("%")) {
      return null;
    }
    String wanted = name.substring(1).replace('.', '_').toUpperCase(Locale.ROOT);
    for (Special s : Special.values()) {
      if (s.name().equals(wanted)) {
        return s;
      }
    }
    return null;
  }

  /** Whether the register counts time. */
  static boolean isClock(String name) {
    return switch (name) {
      case "%clock",
          "%clock_hi",
          "%clock64",
          "%globaltimer",
          "%globaltimer_lo",
          "%globaltimer_hi" ->
          true;
      default -> false;
    };
  }

  /**
   * Current value of a clock: nanoseconds since the epoch for the timer, of the JVM for the rest.
   */
  static long read(String name) {
    return switch (name) {
      case "%clock", "%clock64" -> System.nanoTime();
      case "%clock_hi" -> System.nanoTime() >>> 32;
      case "%globaltimer", "%globaltimer_lo" ->
          System.currentTimeMillis() * 1_000_000 + System.nanoTime() % 1_000_000;
      case "%globaltimer_hi" -> System.currentTimeMillis() * 1_000_000 >>> 32;
      default -> throw new IllegalArgumentException(name);
    };
  }
}
