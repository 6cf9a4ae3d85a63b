package dev.reprise.cli.doctor;

import dev.reprise.cli.doctor.Problem.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is wrong, derived from the facts alone. */
final class Findings {

  private Findings() {}

  /** The gravest first. */
  static List<Problem> of(
      JavaFacts java,
      HostFacts host,
      NativeAccessFacts nativeAccess,
      DriverFacts driver,
      List<DeviceFacts> devices) {
    List<Problem> problems = new ArrayList<>();
    if (!java.newEnough()) {
      problems.add(
          Problem.error(
              "Java " + java.version() + " is older than " + JavaFacts.REQUIRED,
              "install JDK " + JavaFacts.REQUIRED + " or newer and set JAVA_HOME to it"));
    }
    List<String> disabled = nativeAccess.disabled();
    if (!disabled.isEmpty()) {
      problems.add(
          new Problem(
              driver.library() == null ? Severity.ERROR : Severity.WARNING,
              "native access is not enabled for "
                  + String.join(", ", disabled)
                  + ": Java warns now, and refuses where --illegal-native-access=deny is set",
              "start Java with " + nativeAccess.flag()));
    }
    problems.addAll(DriverFindings.of(driver, host, nativeAccess, devices.size()));
    devices.forEach(device -> problems.addAll(DeviceFindings.of(device, driver, host)));
    problems.sort(Comparator.comparing(Problem::severity));
    return List.copyOf(problems);
  }
}
