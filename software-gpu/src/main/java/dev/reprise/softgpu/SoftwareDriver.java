package dev.reprise.softgpu;

import dev.reprise.bindings.spi.DriverProvider;
import dev.reprise.softgpu.driver.EntryPoints;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.engine.Execution;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The software GPU as a CUDA driver: one device, found by {@code DriverLibrary} as a service. Each
 * instance is a driver of its own, with its own device, handles and state.
 */
public final class SoftwareDriver implements DriverProvider {

  private final EntryPoints entryPoints;

  /** A driver with the settings of the process. */
  public SoftwareDriver() {
    this(SoftwareGpuSettings.fromEnvironment());
  }

  /** A driver with these settings. */
  public SoftwareDriver(SoftwareGpuSettings settings) {
    this.entryPoints =
        new EntryPoints(
            new SoftwareGpu(
                DeviceModel.of(settings.workers(), settings.memoryBytes()),
                settings.compiling() ? Execution.ADAPTIVE : Execution.INTERPRETED));
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
