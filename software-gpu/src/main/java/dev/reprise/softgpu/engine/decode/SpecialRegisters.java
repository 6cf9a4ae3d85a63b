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
      // That one is a predicate.
      if (s.name().equals(wanted) && s != Special.IS_EXPLICIT_CLUSTER) {
        return s;
      }
    }
    return null;
  }

  /**
   * The value of a register that is the same for all threads of all kernels, or null: counters of
   * events stand still.
   */
  static @Nullable Integer constant(String name) {
    return switch (name) {
      case "%reserved_smem_offset_begin",
          "%reserved_smem_offset_end",
          "%reserved_smem_offset_cap",
          "%reserved_smem_offset_0",
          "%reserved_smem_offset_1",
          "%current_graph_exec" ->
          0;
      case "WARP_SZ" -> 32;
      default -> name.matches("%pm[0-7](_64)?|%envreg([03-9]|[12][0-9]|3[01])") ? 0 : null;
    };
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
