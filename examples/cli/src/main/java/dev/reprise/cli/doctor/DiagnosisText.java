package dev.reprise.cli.doctor;

import dev.reprise.bindings.CudaVersion;
import dev.reprise.bindings.DriverLibrary.Attempt;
import dev.reprise.bindings.DriverLibrary.Outcome;
import dev.reprise.cli.doctor.DriverFacts.Library;
import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import dev.reprise.cli.text.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A diagnosis for people: the facts by subject, then what is wrong, then whether it runs. */
public final class DiagnosisText {

  private final List<String> lines = new ArrayList<>();

  private DiagnosisText() {}

  /**
   * Lines without line ends.
   *
   * @param verbose lists the functions that the driver lacks
   */
  public static List<String> lines(Diagnosis diagnosis, boolean verbose) {
    DiagnosisText text = new DiagnosisText();
    text.java(diagnosis);
    text.driver(diagnosis.driver(), verbose);
    diagnosis.devices().forEach(text::device);
    text.settings(diagnosis.settings());
    text.problems(diagnosis.problems());
    text.verdict(diagnosis);
    return List.copyOf(text.lines);
  }

  private void java(Diagnosis diagnosis) {
    JavaFacts java = diagnosis.java();
    HostFacts host = diagnosis.host();
    lines.add("Java");
    add(
        "version",
        "%s, %s; %s (%s or newer is needed)",
        java.version(),
        java.vendor(),
        java.newEnough() ? "new enough" : "TOO OLD",
        JavaFacts.REQUIRED);
    add("home", "%s", java.home());
    add(
        "heap",
        "%s in use, at most %s",
        ByteSize.text(java.heapUsedBytes()),
        ByteSize.text(java.heapMaxBytes()));
    add("native access", "%s", nativeAccess(diagnosis.nativeAccess()));
    lines.add("Machine");
    add("system", "%s, %s, %d processors", host.os(), host.arch(), host.processors());
    add(
        "memory",
        "%s free of %s",
        ByteSize.text(host.memoryFreeBytes()),
        ByteSize.text(host.memoryBytes()));
    if (host.nvidia().linux()) {
      add("NVIDIA", "%s", nvidia(host.nvidia()));
    }
  }

  private static String nativeAccess(NativeAccessFacts facts) {
    List<String> disabled = facts.disabled();
    return disabled.isEmpty()
        ? "enabled for " + String.join(", ", facts.enabled().keySet())
        : "NOT enabled for " + String.join(", ", disabled);
  }

  private static String nvidia(NvidiaSigns signs) {
    String visible = signs.visibleDevices();
    return (signs.kernelModule() ? "kernel module loaded, " : "no kernel module, ")
        + (signs.deviceNodes().isEmpty()
            ? "no /dev/nvidia0"
            : String.join(" ", signs.deviceNodes()))
        + (signs.container() ? ", in a container" : "")
        + (visible == null ? "" : ", " + NvidiaSigns.VISIBLE_DEVICES + "=\"" + visible + "\"");
  }

  private void driver(DriverFacts driver, boolean verbose) {
    lines.add("Driver");
    add("choice", "%s, from %s", driver.choice(), driver.origin().text());
    for (Attempt attempt : driver.attempts()) {
      if (attempt.outcome() == Outcome.TAKEN) {
        add("taken", "%s", attempt.what());
      } else {
        add("passed over", "%s: %s", attempt.what(), String.valueOf(attempt.failure()));
      }
    }
    Library library = driver.library();
    if (library == null) {
      add("taken", "none");
      return;
    }
    add("version", "%s", version(library.version()));
    add("functions", "%s", entryPoints(library));
    if (verbose) {
      for (Missing missing : library.entryPoints().missing()) {
        add(
            "",
            "lacks %s, of CUDA %s%s",
            missing.function(),
            CudaVersion.text(missing.version()),
            missing.newer() ? "" : ", which this version should have");
      }
    }
  }

  private static String version(int version) {
    return version == 0 ? "unknown" : "CUDA " + CudaVersion.text(version);
  }

  private static String entryPoints(Library library) {
    EntryPointFacts facts = library.entryPoints();
    int unexpected = facts.unexpected().size();
    int newer = facts.missing().size() - unexpected;
    return facts.found()
        + " of "
        + facts.total()
        + (newer == 0 ? "" : "; " + newer + " need a newer driver")
        + (unexpected == 0
            ? ""
            : library.software()
                ? "; " + unexpected + " are not implemented"
                : "; " + unexpected + " are missing that this version should have")
        + (facts.missing().isEmpty() ? "" : " (--verbose lists them)");
  }

  private void device(DeviceFacts device) {
    lines.add("Device " + device.ordinal());
    if (device.openFailure() != null) {
      add("open", "failed: %s", String.valueOf(device.openFailure()));
      return;
    }
    add(
        "name",
        "%s, compute capability %s",
        show(device, DeviceProperty.NAME),
        show(device, DeviceProperty.COMPUTE_CAPABILITY));
    add(
        "memory",
        "%s free of %s",
        bytes(device, DeviceProperty.MEMORY_FREE),
        bytes(device, DeviceProperty.MEMORY_TOTAL));
    add(
        "processors",
        "%s multiprocessors, %s",
        show(device, DeviceProperty.MULTIPROCESSORS),
        device
            .property(DeviceProperty.CLOCK)
            .filter(khz -> khz instanceof Integer number && number > 0)
            .map(khz -> String.format(Locale.ROOT, "%d MHz", ((Integer) khz) / 1000))
            .orElse("clock unknown"));
    add(
        "identity",
        "%s, PCI %s",
        show(device, DeviceProperty.UUID),
        show(device, DeviceProperty.PCI));
    add(
        "supports",
        "managed memory %s, memory pools %s, virtual memory %s, cooperative launch %s",
        show(device, DeviceProperty.MANAGED_MEMORY),
        show(device, DeviceProperty.MEMORY_POOLS),
        show(device, DeviceProperty.VIRTUAL_MEMORY),
        show(device, DeviceProperty.COOPERATIVE_LAUNCH));
    add(
        "trial",
        "%s",
        device.trialFailure() == null
            ? "a kernel ran, launched and replayed from a graph"
            : "FAILED, " + device.trialFailure());
  }

  private static String show(DeviceFacts device, DeviceProperty property) {
    return device
        .property(property)
        .map(value -> value instanceof Boolean flag ? flag ? "yes" : "no" : value.toString())
        .orElse("unknown");
  }

  private static String bytes(DeviceFacts device, DeviceProperty property) {
    return device.property(property).map(value -> ByteSize.text((Long) value)).orElse("unknown");
  }

  private void settings(List<SettingFact> settings) {
    lines.add("Software GPU settings");
    for (SettingFact setting : settings) {
      lines.add(
          "  "
              + setting.name()
              + (setting.value() == null
                  ? " is not set"
                  : "=" + setting.value() + ", from the " + setting.origin())
              + " ("
              + setting.meaning()
              + ")");
    }
  }

  private void problems(List<Problem> problems) {
    if (problems.isEmpty()) {
      return;
    }
    lines.add("");
    for (Problem problem : problems) {
      lines.add(problem.severity().name().toLowerCase(Locale.ROOT) + ": " + problem.what());
      lines.add("  fix: " + problem.fix());
    }
  }

  private void verdict(Diagnosis diagnosis) {
    lines.add("");
    String usable =
        diagnosis.devices().stream()
            .filter(DeviceFacts::usable)
            .map(DeviceFacts::label)
            .collect(Collectors.joining(", "));
    lines.add(
        diagnosis.canRun()
            ? "Ready: Reprise runs on " + usable + "."
            : "Not ready: there is no device that Reprise can run on.");
  }

  /** A line of a subject; an empty label goes on with the one before. */
  private void add(String label, String format, Object... arguments) {
    lines.add(
        String.format(Locale.ROOT, "  %-14s", label)
            + String.format(Locale.ROOT, format, arguments));
  }
}
