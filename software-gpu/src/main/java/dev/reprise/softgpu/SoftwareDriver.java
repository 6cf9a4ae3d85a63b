package dev.reprise.softgpu;

import dev.reprise.bindings.spi.DriverProvider;
import dev.reprise.softgpu.driver.EntryPoints;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.sanitizer.Findings;
import dev.reprise.softgpu.driver.simulation.Simulator;
import dev.reprise.softgpu.engine.Execution;
import dev.reprise.softgpu.faults.FaultInjection;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.profile.ProfileFile;
import dev.reprise.softgpu.profile.Profiler;
import dev.reprise.softgpu.rules.OpenRules;
import dev.reprise.softgpu.sanitizer.Sanitizer;
import dev.reprise.softgpu.simulation.Simulation;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The software GPU as a CUDA driver, with one device unless it is set up with more, found by {@code
 * DriverLibrary} as a service. Each instance is a driver of its own, with its own devices, handles
 * and state.
 */
public final class SoftwareDriver implements DriverProvider {

  private static final AtomicReference<@Nullable SoftwareDriver> OF_PROCESS =
      new AtomicReference<>();

  private final SoftwareGpu gpu;
  private final EntryPoints entryPoints;
  private final Findings sanitizer;
  private final Profiler profiler;

  /** A driver with the settings of the process. */
  public SoftwareDriver() {
    this(SoftwareGpuSettings.fromEnvironment());
    rules(OpenRules.fromEnvironment());
    if (OF_PROCESS.compareAndSet(null, this)) {
      ProfileFile.ofEnvironment(profiler);
    }
  }

  /**
   * The driver that was made first with the settings of the process: the one that {@code
   * DriverLibrary} found as a service, where it chose the software GPU. Empty while there is none.
   */
  public static Optional<SoftwareDriver> ofProcess() {
    return Optional.ofNullable(OF_PROCESS.get());
  }

  /**
   * A driver with these settings.
   *
   * @throws IllegalArgumentException if the fault plan names a function that the driver lacks
   */
  public SoftwareDriver(SoftwareGpuSettings settings) {
    this.sanitizer = new Findings(settings.sanitizer());
    boolean compiling = settings.compiling() && !settings.sanitizer().full();
    this.gpu =
        new SoftwareGpu(
            settings.devices(),
            DeviceModel.of(settings.workers(), settings.memoryBytes()),
            compiling ? Execution.ADAPTIVE : Execution.INTERPRETED,
            sanitizer,
            new Simulator(settings.simulation().stallMillis()));
    settings.simulation().seed().ifPresent(gpu.simulator()::begin);
    this.entryPoints = new EntryPoints(gpu);
    this.profiler = gpu.profiler();
    if (!settings.faults().equals(FaultPlan.NONE)) {
      try {
        entryPoints.faults().installForGood(settings.faults());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(SoftwareGpuSettings.FAULTS + ": " + e.getMessage(), e);
      }
    }
  }

  /** How to make calls of this driver fail, and to see which are made. */
  public FaultInjection faults() {
    return entryPoints.faults();
  }

  /** Chooses what rules are taken for that CUDA's documentation leaves open; from now on. */
  public void rules(OpenRules chosen) {
    gpu.rules(chosen);
  }

  /** What the sanitizer has found. */
  public Sanitizer sanitizer() {
    return sanitizer;
  }

  /** How to have a seed decide the order of asynchronous work. */
  public Simulation simulation() {
    return gpu.simulator();
  }

  /**
   * Hands what kernels print to this, when the driver synchronises, instead of standard output.
   *
   * @param sink called on the thread that synchronises; it must not call the driver
   */
  public void redirectOutput(Consumer<String> sink) {
    gpu.redirectOutput(sink);
  }

  /** How to count what kernels do; off at first. */
  public Profiler profiler() {
    return profiler;
  }

  /**
   * Ends kernels that take longer with {@code CUDA_ERROR_LAUNCH_TIMEOUT}, which poisons the
   * context, as a GPU that also drives a display does. Launches that begin later are limited;
   * without this call none is.
   *
   * @param limit zero for no limit
   */
  public void limitLaunches(Duration limit) {
    gpu.limitLaunches(limit.toNanos());
  }

  /**
   * What poisoned a context last: for a kernel its name, the PTX line, the block, the thread, the
   * address and the nearest allocation. Empty while nothing has.
   */
  public Optional<String> lastFault() {
    return gpu.lastFault();
  }

  @Override
  public String name() {
    return "software GPU";
  }

  @Override
  public Optional<MemorySegment> find(String symbol) {
    return entryPoints.find(symbol);
  }
}
