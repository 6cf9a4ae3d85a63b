package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.doctor.Problem.Severity;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeviceFindingsTest {

  private static final DriverFacts CUDA =
      Facts.taken(Facts.cuda(13000, Facts.complete()), Facts.CUDA);

  private static List<Problem> of(DeviceFacts device, DriverFacts driver) {
    return DeviceFindings.of(device, driver, Facts.host(Facts.SIGNS));
  }

  @Test
  void aDeviceOnWhichAKernelRanIsNoProblem() {
    assertThat(of(Facts.device(), CUDA)).isEmpty();
  }

  @Test
  void aDeviceThatCannotBeOpenedIsAnError() {
    assertThat(of(Facts.closed("it is held"), CUDA))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.ERROR);
          assertThat(problem.what()).isEqualTo("device 0 cannot be opened: it is held");
        });
  }

  @Test
  void aKernelThatDoesNotRunIsAnError() {
    assertThat(of(Facts.failing("loading PTX: no compiler"), CUDA))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.ERROR);
          assertThat(problem.what())
              .isEqualTo("no kernel runs on device 0, NVIDIA H200: loading PTX: no compiler");
        });
  }

  @Test
  void aPropertyWithoutAnAnswerIsAWarning() {
    Map<DeviceProperty, String> failures = new EnumMap<>(DeviceProperty.class);
    failures.put(DeviceProperty.UUID, "no cuDeviceGetUuid_v2");
    assertThat(of(new DeviceFacts(0, Map.of(), failures, null, null), CUDA))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.WARNING);
          assertThat(problem.what()).contains("uuid (no cuDeviceGetUuid_v2)");
        });
  }

  @Test
  void aSoftwareGpuLargerThanTheMachineIsAWarning() {
    // The device of the fixture has 141 GiB, its machine 16 GiB.
    DriverFacts software = Facts.taken(Facts.software(Facts.complete()), Facts.SOFTWARE);
    assertThat(of(Facts.device(), software))
        .containsExactly(
            Problem.warning(
                "device 0, NVIDIA H200 has 141.0 GiB of memory, and this machine only 16.0 GiB",
                "set REPRISE_SOFTGPU_MEMORY to fewer bytes"));
  }
}
