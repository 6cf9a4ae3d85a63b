package dev.reprise.softgpu;

import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import dev.reprise.softgpu.simulation.SimulationOptions;

/**
 * What the software GPU can be told.
 *
 * @param memoryBytes capacity of the device memory; the host gives pages as they are touched
 * @param workers threads that run blocks at once
 * @param compiling whether runs of instructions that are executed often are compiled to bytecode;
 *     the interpreter gives the same bits
 * @param faults which calls fail on purpose
 * @param sanitizer which mistakes are looked for; where it sees each access, kernels are
 *     interpreted
 * @param devices how many devices there are, each with this memory and these workers; more than one
 *     only while the sanitizer looks for no more than faults
 * @param simulation whether a seed decides the order of asynchronous work
 */
public record SoftwareGpuSettings(
    long memoryBytes,
    int workers,
    boolean compiling,
    FaultPlan faults,
    SanitizerOptions sanitizer,
    int devices,
    SimulationOptions simulation) {

  /** Environment variable, or system property, for the number of devices. */
  public static final String DEVICES = "REPRISE_SOFTGPU_DEVICES";

  /** Environment variable, or system property, for the capacity in bytes. */
  public static final String MEMORY = "REPRISE_SOFTGPU_MEMORY";

  /** Environment variable, or system property, for the number of workers. */
  public static final String WORKERS = "REPRISE_SOFTGPU_WORKERS";

  /**
   * Environment variable, or system property, for the way instructions are executed: {@code
   * adaptive} or {@code interpreted}.
   */
  public static final String EXECUTION = "REPRISE_SOFTGPU_EXECUTION";

  /**
   * Environment variable, or system property, for the calls that fail on purpose, as {@link
   * FaultPlan#parse} reads them.
   */
  public static final String FAULTS = "REPRISE_SOFTGPU_FAULTS";

  /**
   * Environment variable, or system property, for the mistakes that are looked for, as {@link
   * SanitizerOptions#parse} reads them.
   */
  public static final String SANITIZE = "REPRISE_SANITIZE";

  /**
   * Environment variable, or system property, for a simulation, as {@link SimulationOptions#parse}
   * reads it.
   */
  public static final String SIMULATION = "REPRISE_SOFTGPU_SIMULATION";

  private static final int MOST_DEVICES = 16;
  private static final long DEFAULT_MEMORY = 4L << 30;

  /** Refuses settings that make no device. */
  public SoftwareGpuSettings {
    if (memoryBytes <= 0) {
      throw new IllegalArgumentException(MEMORY + " must be positive, not " + memoryBytes);
    }
    if (workers <= 0) {
      throw new IllegalArgumentException(WORKERS + " must be positive, not " + workers);
    }
    if (devices < 1 || devices > MOST_DEVICES) {
      throw new IllegalArgumentException(
          "%s must be 1 to %d, not %d".formatted(DEVICES, MOST_DEVICES, devices));
    }
  }

  /** Settings of one device, without a simulation. */
  public SoftwareGpuSettings(
      long memoryBytes,
      int workers,
      boolean compiling,
      FaultPlan faults,
      SanitizerOptions sanitizer) {
    this(memoryBytes, workers, compiling, faults, sanitizer, 1, SimulationOptions.OFF);
  }

  /** Settings that look for faults only. */
  public SoftwareGpuSettings(long memoryBytes, int workers, boolean compiling, FaultPlan faults) {
    this(memoryBytes, workers, compiling, faults, SanitizerOptions.DEFAULT);
  }

  /**
   * One device of 4 GiB and one worker per processor, unless the properties or the environment say
   * otherwise.
   */
  public static SoftwareGpuSettings fromEnvironment() {
    return new SoftwareGpuSettings(
        number(MEMORY, DEFAULT_MEMORY),
        count(WORKERS, Runtime.getRuntime().availableProcessors()),
        compilingByEnvironment(),
        faultsByEnvironment(),
        sanitizerByEnvironment(),
        count(DEVICES, 1),
        simulationByEnvironment());
  }

  private static SimulationOptions simulationByEnvironment() {
    String text = System.getProperty(SIMULATION, System.getenv(SIMULATION));
    try {
      return text == null ? SimulationOptions.OFF : SimulationOptions.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(SIMULATION + ": " + e.getMessage(), e);
    }
  }

  private static SanitizerOptions sanitizerByEnvironment() {
    String text = System.getProperty(SANITIZE, System.getenv(SANITIZE));
    try {
      return text == null ? SanitizerOptions.DEFAULT : SanitizerOptions.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(SANITIZE + ": " + e.getMessage(), e);
    }
  }

  private static FaultPlan faultsByEnvironment() {
    String text = System.getProperty(FAULTS, System.getenv(FAULTS));
    try {
      return text == null ? FaultPlan.NONE : FaultPlan.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(FAULTS + ": " + e.getMessage(), e);
    }
  }

  private static boolean compilingByEnvironment() {
    String text = System.getProperty(EXECUTION, System.getenv(EXECUTION));
    if (text == null || text.isBlank()) {
      return true;
    }
    return switch (text.strip()) {
      case "adaptive" -> true;
      case "interpreted" -> false;
      default ->
          throw new IllegalArgumentException(
              EXECUTION + " must be adaptive or interpreted, not '" + text + "'");
    };
  }

  private static int count(String name, int otherwise) {
    long number = number(name, otherwise);
    if (number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + " cannot be as many as " + number);
    }
    return (int) Math.max(Integer.MIN_VALUE, number);
  }

  private static long number(String name, long otherwise) {
    String text = System.getProperty(name, System.getenv(name));
    if (text == null || text.isBlank()) {
      return otherwise;
    }
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " must be a whole number, not '" + text + "'", e);
    }
  }
}
