package dev.reprise.cuda;

import org.jspecify.annotations.Nullable;

/**
 * How the driver compiles PTX and what it logs (CUDA Driver API, "Module Management", {@code
 * CUjit_option}). Immutable. What concerns compiling has no effect on machine code.
 *
 * @param maxRegisters the most registers a thread may use; 0 leaves it to the driver
 * @param optimizationLevel 0 to 4; -1 leaves it to the driver, which takes 4
 * @param debugInfo whether to keep debug information
 * @param lineInfo whether to keep line numbers
 * @param verboseLog whether the log tells what each kernel needs
 * @param logBytes room for each of the two logs, at least 1
 * @param target the architecture to compile for; null takes that of the device
 */
public record ModuleOptions(
    int maxRegisters,
    int optimizationLevel,
    boolean debugInfo,
    boolean lineInfo,
    boolean verboseLog,
    int logBytes,
    @Nullable ComputeCapability target) {

  private static final int MAX_OPTIMIZATION = 4;

  /** What the driver does by itself, with logs of up to 16 KiB. */
  public static final ModuleOptions STANDARD =
      new ModuleOptions(0, -1, false, false, false, 16 << 10, null);

  /** Checks the numbers. */
  public ModuleOptions {
    if (maxRegisters < 0) {
      throw new IllegalArgumentException("maxRegisters cannot be %d.".formatted(maxRegisters));
    }
    if (optimizationLevel < -1 || optimizationLevel > MAX_OPTIMIZATION) {
      throw new IllegalArgumentException(
          "optimizationLevel is 0 to 4, or -1; not %d.".formatted(optimizationLevel));
    }
    if (logBytes < 1) {
      throw new IllegalArgumentException("logBytes is at least 1, not %d.".formatted(logBytes));
    }
  }

  /** These, with a limit of registers a thread. */
  public ModuleOptions withMaxRegisters(int registers) {
    return new ModuleOptions(
        registers, optimizationLevel, debugInfo, lineInfo, verboseLog, logBytes, target);
  }

  /** These, with an optimisation level. */
  public ModuleOptions withOptimizationLevel(int level) {
    return new ModuleOptions(
        maxRegisters, level, debugInfo, lineInfo, verboseLog, logBytes, target);
  }

  /** These, with debug information. */
  public ModuleOptions withDebugInfo() {
    return new ModuleOptions(
        maxRegisters, optimizationLevel, true, lineInfo, verboseLog, logBytes, target);
  }

  /** These, with line numbers. */
  public ModuleOptions withLineInfo() {
    return new ModuleOptions(
        maxRegisters, optimizationLevel, debugInfo, true, verboseLog, logBytes, target);
  }

  /** These, with a log of what each kernel needs. */
  public ModuleOptions withVerboseLog() {
    return new ModuleOptions(
        maxRegisters, optimizationLevel, debugInfo, lineInfo, true, logBytes, target);
  }

  /** These, with room for logs of so many bytes. */
  public ModuleOptions withLogBytes(int bytes) {
    return new ModuleOptions(
        maxRegisters, optimizationLevel, debugInfo, lineInfo, verboseLog, bytes, target);
  }

  /** These, for an architecture. */
  public ModuleOptions withTarget(ComputeCapability architecture) {
    return new ModuleOptions(
        maxRegisters, optimizationLevel, debugInfo, lineInfo, verboseLog, logBytes, architecture);
  }
}
