package dev.reprise.cli.doctor;

import dev.reprise.cli.doctor.DriverFacts.Library;
import dev.reprise.cli.text.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What is wrong with one device. */
final class DeviceFindings {

  private DeviceFindings() {}

  static List<Problem> of(DeviceFacts device, DriverFacts driver, HostFacts host) {
    List<Problem> problems = new ArrayList<>();
    if (device.openFailure() != null) {
      problems.add(
          Problem.error(
              device.label() + " cannot be opened: " + device.openFailure(),
              "see in nvidia-smi whether another process holds it and whether its compute mode is"
                  + " Prohibited; or do without: --driver software"));
    }
    if (device.trialFailure() != null) {
      problems.add(
          Problem.error(
              "no kernel runs on " + device.label() + ": " + device.trialFailure(),
              "it needs compute capability 7.5 or newer, a driver for CUDA 12.0 or newer, and"
                  + " NVIDIA's PTX compiler (in a container:"
                  + " NVIDIA_DRIVER_CAPABILITIES=compute,utility)"));
    }
    if (!device.failures().isEmpty()) {
      problems.add(
          Problem.warning(
              device.label()
                  + " does not answer "
                  + device.failures().entrySet().stream()
                      .map(failure -> failure.getKey().key() + " (" + failure.getValue() + ")")
                      .collect(Collectors.joining(", ")),
              "update the driver"));
    }
    Library library = driver.library();
    if (library != null && library.software()) {
      problems.addAll(memory(device, host));
    }
    return problems;
  }

  /** The memory of a software GPU is memory of the host, taken as it is touched. */
  private static List<Problem> memory(DeviceFacts device, HostFacts host) {
    return device
        .property(DeviceProperty.MEMORY_TOTAL)
        .filter(total -> total instanceof Long bytes && bytes > host.memoryBytes())
        .map(total ->
            List.of(
                Problem.warning(
                    "%s has %s of memory, and this machine only %s"
                        .formatted(
                            device.label(),
                            ByteSize.text((Long) total),
                            ByteSize.text(host.memoryBytes())),
                    "set REPRISE_SOFTGPU_MEMORY to fewer bytes")))
        .orElse(List.of());
  }
}
