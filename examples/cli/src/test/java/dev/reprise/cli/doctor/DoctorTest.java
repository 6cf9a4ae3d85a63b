package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cli.doctor.DriverFacts.Library;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An examination of this process, on the driver that the tests run on. */
class DoctorTest {

  private static Diagnosis diagnosis;

  @BeforeAll
  static void examine() {
    diagnosis = Doctor.examine(Optional.empty());
  }

  @Test
  void aKernelRunsOnTheDevice() {
    assertThat(diagnosis.devices()).isNotEmpty();
    assertThat(diagnosis.devices().getFirst().openFailure()).isNull();
    assertThat(diagnosis.devices().getFirst().trialFailure()).isNull();
    assertThat(diagnosis.canRun()).isTrue();
  }

  @Test
  void everyPropertyOfTheDeviceIsAnswered() {
    DeviceFacts device = diagnosis.devices().getFirst();
    assertThat(device.failures()).isEmpty();
    assertThat(device.properties()).containsOnlyKeys(DeviceProperty.values());
    assertThat(device.properties().get(DeviceProperty.MEMORY_TOTAL))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LONG)
        .isPositive();
  }

  @Test
  void theDriverIsTheOneOfTheProcessAndWhereItComesFromIsTold() {
    Library library = Objects.requireNonNull(diagnosis.driver().library());
    assertThat(library.name()).isEqualTo(DriverLibrary.current().name());
    assertThat(library.version()).isEqualTo(DriverLibrary.current().driverVersion());
    assertThat(library.entryPoints().found()).isGreaterThan(100);
    assertThat(diagnosis.driver().origin()).isEqualTo(DriverFacts.Origin.PROPERTY);
    assertThat(diagnosis.driver().attempts()).isEqualTo(DriverLibrary.current().attempts());
  }

  @Test
  void theJvmAndTheMachineAreDescribed() {
    assertThat(diagnosis.java().newEnough()).isTrue();
    assertThat(diagnosis.java().heapMaxBytes()).isPositive();
    assertThat(diagnosis.host().memoryBytes()).isPositive();
    assertThat(diagnosis.host().processors()).isPositive();
    // Tests run on the class path, with the flag.
    assertThat(diagnosis.nativeAccess().flag()).isEqualTo("--enable-native-access=ALL-UNNAMED");
    assertThat(diagnosis.nativeAccess().disabled()).isEmpty();
  }

  @Test
  void aChoiceThatComesTooLateIsReportedAndNotThrown() {
    Diagnosis late = Doctor.examine(Optional.of("cuda"));
    assertThat(late.canRun()).isFalse();
    assertThat(late.problems())
        .extracting(Problem::what)
        .anyMatch(what -> what.startsWith("no driver starts: The driver library is already "));
  }
}
