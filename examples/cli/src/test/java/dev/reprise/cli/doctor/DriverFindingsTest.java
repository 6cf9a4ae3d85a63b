package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.DriverLibrary.Attempt;
import dev.reprise.bindings.DriverLibrary.Outcome;
import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import dev.reprise.cli.doctor.Problem.Severity;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverFindingsTest {

  private static final Missing OLD = new Missing("cuInit", 2000, false);
  private static final Missing NEW = new Missing("cuGraphAddNode_v2", 12030, true);

  private static List<Problem> of(DriverFacts driver, NvidiaSigns signs, int devices) {
    return DriverFindings.of(driver, Facts.host(signs), Facts.ACCESS, devices);
  }

  @Test
  void aLibraryThatSeesNoDeviceIsExplainedInOneLineWithTheCause() {
    assertThat(of(Facts.takenAndFailing(100, "cuInit failed"), Facts.NO_SIGNS, 0))
        .containsExactly(
            Problem.error(
                "libcuda.so.1 loads, but cuInit answers 100: NVIDIA's library is there but sees no"
                    + " device; NVIDIA's kernel module is not loaded",
                "run nvidia-smi, see that /dev/nvidia0 exists, start a container with --gpus all;"
                    + " or do without: --driver software"));
  }

  @Test
  void hiddenDevicesAreToBeShown() {
    NvidiaSigns hidden = new NvidiaSigns(true, true, List.of("/dev/nvidia0"), false, false, "-1");
    assertThat(of(Facts.takenAndFailing(100, "cuInit failed"), hidden, 0))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.what()).endsWith("; CUDA_VISIBLE_DEVICES=\"-1\" hides them all");
          assertThat(problem.fix()).startsWith("unset CUDA_VISIBLE_DEVICES, or run nvidia-smi");
        });
  }

  @Test
  void passedOverForTheSoftwareGpuItIsAWarningToldOnce() {
    Attempt link = new Attempt("libcuda.so", Outcome.NO_DEVICE, 100, "cuInit answers 100");
    DriverFacts driver =
        Facts.taken(Facts.software(Facts.complete()), Facts.NO_DEVICE, link, Facts.SOFTWARE);
    assertThat(of(driver, Facts.NO_SIGNS, 1))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.WARNING);
          assertThat(problem.what()).startsWith("libcuda.so.1 loads, but cuInit answers 100");
        });
  }

  @Test
  void anotherResultOfTheSecondNameIsToldToo() {
    Attempt other = new Attempt("libcuda.so", Outcome.NOT_INITIALISED, 34, "cuInit answers 34");
    DriverFacts driver =
        Facts.taken(Facts.software(Facts.complete()), Facts.NO_DEVICE, other, Facts.SOFTWARE);
    assertThat(of(driver, Facts.NO_SIGNS, 1))
        .extracting(Problem::what)
        .satisfiesExactly(
            what -> assertThat(what).contains("100"),
            what -> assertThat(what).contains("34").contains("stub"));
  }

  @ParameterizedTest
  @CsvSource({
    "34, stubs folder",
    "46, compute mode",
    "802, nvidia-fabricmanager",
    "803, restart the machine",
    "804, cuda-compat",
    "999, nvidia_uvm"
  })
  void aResultThatIsKnownHasItsOwnCure(int code, String cure) {
    assertThat(of(Facts.takenAndFailing(code, "cuInit failed"), Facts.SIGNS, 0))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.ERROR);
          assertThat(problem.what()).contains("cuInit answers " + code + ": ");
          assertThat(problem.fix()).contains(cure);
        });
  }

  @Test
  void aResultThatIsNotKnownKeepsTheWordsOfTheCall() {
    assertThat(of(Facts.takenAndFailing(3, "cuInit failed with X (3)"), Facts.SIGNS, 0))
        .singleElement()
        .satisfies(problem ->
            assertThat(problem.what()).endsWith("does not start: cuInit failed with X (3)"));
  }

  @Test
  void aDriverThatCountsNoDeviceIsAnError() {
    assertThat(of(Facts.taken(Facts.cuda(13000, Facts.complete()), Facts.CUDA), Facts.NO_SIGNS, 0))
        .singleElement()
        .satisfies(problem ->
            assertThat(problem.what()).startsWith("libcuda.so.1 starts, but counts 0 devices"));
  }

  @Test
  void withoutADriverOrADeviceTheSoftwareGpuIsOnlyNoted() {
    DriverFacts driver =
        Facts.taken(Facts.software(Facts.complete()), Facts.NOT_LOADED, Facts.SOFTWARE);
    assertThat(of(driver, Facts.NO_SIGNS, 1))
        .extracting(Problem::severity)
        .containsExactly(Severity.NOTE);
  }

  @Test
  void aDeviceWithoutItsLibraryIsAWarning() {
    DriverFacts driver =
        Facts.taken(Facts.software(Facts.complete()), Facts.NOT_LOADED, Facts.SOFTWARE);
    assertThat(of(driver, Facts.SIGNS, 1))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.WARNING);
          assertThat(problem.what()).contains("has an NVIDIA device", "no such file");
          assertThat(problem.fix()).contains("NVIDIA_DRIVER_CAPABILITIES");
        });
  }

  @Test
  void aLibraryThatDoesNotLoadIsAnErrorWhereItWasAskedFor() {
    assertThat(of(Facts.nothing(null, Facts.NOT_LOADED), Facts.NO_SIGNS, 0))
        .containsExactly(
            Problem.error(
                "libcuda.so.1 cannot be loaded: no such file",
                "install NVIDIA's driver, or name its library; or do without a device: --driver"
                    + " software"));
  }

  @Test
  void aSecondNameThatLoadsMakesUpForTheFirst() {
    Attempt second = new Attempt("libcuda.so", Outcome.TAKEN, 0, null);
    DriverFacts driver = Facts.taken(Facts.cuda(13000, Facts.complete()), Facts.NOT_LOADED, second);
    assertThat(of(driver, Facts.SIGNS, 1)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "NO_NATIVE_ACCESS, --enable-native-access=dev.reprise.bindings",
    "NOT_A_DRIVER, name the driver library",
    "NO_SERVICE, reprise-software-gpu",
    "NOT_STARTED, correct or remove the setting"
  })
  void everyOtherOutcomeHasItsCure(Outcome outcome, String cure) {
    Attempt attempt = new Attempt("a library", outcome, 0, "a reason");
    assertThat(of(Facts.nothing(null, attempt), Facts.NO_SIGNS, 0))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.ERROR);
          assertThat(problem.fix()).contains(cure);
        });
  }

  @Test
  void aFailureThatIsNoAttemptIsTold() {
    assertThat(of(Facts.nothing("REPRISE_X must be positive, not 0"), Facts.NO_SIGNS, 0))
        .extracting(Problem::what)
        .containsExactly("no driver starts: REPRISE_X must be positive, not 0");
  }

  @Test
  void anOldDriverIsAnError() {
    DriverFacts driver = Facts.taken(Facts.cuda(11080, Facts.complete()), Facts.CUDA);
    assertThat(of(driver, Facts.SIGNS, 1))
        .containsExactly(
            Problem.error(
                "libcuda.so.1 is a driver for CUDA 11.8, and Reprise needs 12.0 or newer",
                "install NVIDIA driver 525 or newer; or do without a device: --driver software"));
  }

  @Test
  void functionsNewerThanTheDriverAreNoProblem() {
    DriverFacts driver = Facts.taken(Facts.cuda(12020, Facts.lacking(NEW)), Facts.CUDA);
    assertThat(of(driver, Facts.SIGNS, 1)).isEmpty();
  }

  @Test
  void aFunctionThatTheVersionShouldHaveIsAProblemOfItsOwn() {
    DriverFacts driver = Facts.taken(Facts.cuda(12020, Facts.lacking(NEW, OLD)), Facts.CUDA);
    assertThat(of(driver, Facts.SIGNS, 1))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.WARNING);
          assertThat(problem.what())
              .isEqualTo(
                  "libcuda.so.1 lacks 1 functions that a driver for CUDA 12.2 should have, such"
                      + " as cuInit");
        });
  }

  @Test
  void whatTheSoftwareGpuDoesNotImplementIsNoProblem() {
    DriverFacts driver = Facts.taken(Facts.software(Facts.lacking(OLD)), Facts.SOFTWARE);
    assertThat(of(driver, Facts.NO_SIGNS, 1)).isEmpty();
  }
}
