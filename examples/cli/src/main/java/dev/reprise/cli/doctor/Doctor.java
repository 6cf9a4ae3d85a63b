package dev.reprise.cli.doctor;

import java.util.List;
import java.util.Optional;

/** Examines this process and the machine. */
public final class Doctor {

  private Doctor() {}

  /**
   * Chooses the driver of this process and tries what is there. Once a process.
   *
   * @param driver the value of {@code --driver}
   */
  public static Diagnosis examine(Optional<String> driver) {
    // Before the first native call, which may change it.
    NativeAccessFacts nativeAccess = NativeAccessFacts.collect();
    JavaFacts java = JavaFacts.collect();
    HostFacts host = HostFacts.collect();
    DriverCollector.Found found = DriverCollector.collect(driver);
    List<DeviceFacts> devices = DeviceCollector.collect(found.deviceCount());
    return new Diagnosis(
        java,
        host,
        nativeAccess,
        found.facts(),
        devices,
        SettingFact.collect(),
        Findings.of(java, host, nativeAccess, found.facts(), devices));
  }
}
