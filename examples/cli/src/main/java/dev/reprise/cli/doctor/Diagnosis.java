package dev.reprise.cli.doctor;

import java.util.List;

/**
 * All that was found, and what is wrong with it.
 *
 * @param java the JVM of this process
 * @param host the machine
 * @param nativeAccess whether the modules that call native code may
 * @param driver the driver library
 * @param devices the devices of the driver, by ordinal
 * @param settings what the software GPU was told
 * @param problems what is wrong, the gravest first
 */
public record Diagnosis(
    JavaFacts java,
    HostFacts host,
    NativeAccessFacts nativeAccess,
    DriverFacts driver,
    List<DeviceFacts> devices,
    List<SettingFact> settings,
    List<Problem> problems) {

  /** Whether there is a device on which a kernel ran. */
  public boolean canRun() {
    return devices.stream().anyMatch(DeviceFacts::usable);
  }
}
