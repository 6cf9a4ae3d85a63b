package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DiagnosisTextTest {

  private static final EntryPointFacts LACKING =
      Facts.lacking(
          new Missing("cuGraphAddNode_v2", 12030, true), new Missing("cuInit", 2000, false));

  private static List<String> lines(NvidiaSigns signs, DriverFacts driver, DeviceFacts... devices) {
    return DiagnosisText.lines(Facts.diagnosis(signs, driver, devices), false);
  }

  @Test
  void aMachineWhereAllIsWell() {
    DriverFacts driver = Facts.taken(Facts.cuda(13000, Facts.complete()), Facts.CUDA);
    assertThat(lines(Facts.SIGNS, driver, Facts.device()))
        .containsExactly(
            "Java",
            "  version       25.0.1+8, Some Vendor; new enough (25 or newer is needed)",
            "  home          /opt/jdk",
            "  heap          16.0 MiB in use, at most 4.0 GiB",
            "  native access enabled for dev.reprise.bindings",
            "Machine",
            "  system        Linux 6.1, amd64, 8 processors",
            "  memory        8.0 GiB free of 16.0 GiB",
            "  NVIDIA        kernel module loaded, /dev/nvidia0",
            "Driver",
            "  choice        auto, from the default",
            "  taken         libcuda.so.1",
            "  version       CUDA 13.0",
            "  functions     413 of 413",
            "Device 0",
            "  name          NVIDIA H200, compute capability 9.0",
            "  memory        140.0 GiB free of 141.0 GiB",
            "  processors    132 multiprocessors, 1980 MHz",
            "  identity      GPU-1234, PCI 0000:04:00.0",
            "  supports      managed memory yes, memory pools yes, virtual memory yes, cooperative"
                + " launch no",
            "  trial         a kernel ran, launched and replayed from a graph",
            "Software GPU settings",
            "  REPRISE_X=5, from the property (a setting)",
            "",
            "Ready: Reprise runs on device 0, NVIDIA H200.");
  }

  @Test
  void eachProblemIsFollowedByItsFix() {
    assertThat(lines(Facts.NO_SIGNS, Facts.nothing(null, Facts.NOT_LOADED)))
        .containsSubsequence(
            "  passed over   libcuda.so.1: cannot be loaded: no such file",
            "  taken         none",
            "error: libcuda.so.1 cannot be loaded: no such file",
            "  fix: install NVIDIA's driver, or name its library; or do without a device: --driver"
                + " software",
            "Not ready: there is no device that Reprise can run on.");
  }

  @Test
  void missingFunctionsAreCountedAndListedOnlyWhenVerbose() {
    Diagnosis diagnosis =
        Facts.diagnosis(
            Facts.SIGNS, Facts.taken(Facts.cuda(12020, LACKING), Facts.CUDA), Facts.device());
    assertThat(DiagnosisText.lines(diagnosis, false))
        .contains(
            "  functions     411 of 413; 1 need a newer driver; 1 are missing that this version"
                + " should have (--verbose lists them)")
        .noneMatch(line -> line.contains("cuGraphAddNode_v2"));
    assertThat(DiagnosisText.lines(diagnosis, true))
        .contains(
            "                lacks cuGraphAddNode_v2, of CUDA 12.3",
            "                lacks cuInit, of CUDA 2.0, which this version should have");
  }

  @Test
  void whatADeviceDoesNotSayIsUnknown() {
    DriverFacts driver = Facts.taken(Facts.cuda(13000, Facts.complete()), Facts.CUDA);
    assertThat(
            lines(Facts.SIGNS, driver, new DeviceFacts(0, Map.of(), Map.of(), null, "no kernel")))
        .contains(
            "  name          unknown, compute capability unknown",
            "  memory        unknown free of unknown",
            "  processors    unknown multiprocessors, clock unknown",
            "  trial         FAILED, no kernel");
  }
}
