package dev.reprise.cli.doctor;

import dev.reprise.bindings.CudaVersion;
import dev.reprise.bindings.DriverLibrary;
import dev.reprise.bindings.DriverLibrary.Attempt;
import dev.reprise.bindings.DriverLibrary.Outcome;
import dev.reprise.cli.doctor.DriverFacts.InitFailure;
import dev.reprise.cli.doctor.DriverFacts.Library;
import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import dev.reprise.cli.doctor.Problem.Severity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is wrong with the choice of a driver, and with the driver. */
final class DriverFindings {

  /** The oldest driver that Reprise runs on. */
  static final int OLDEST = 12000;

  private static final String CHOOSE_SOFTWARE = "or do without a device: --driver software";

  private DriverFindings() {}

  static List<Problem> of(
      DriverFacts driver, HostFacts host, NativeAccessFacts nativeAccess, int devices) {
    List<Problem> problems = new ArrayList<>();
    Library library = driver.library();
    problems.addAll(attempts(driver, host, nativeAccess));
    String failure = driver.failure();
    if (failure != null) {
      problems.add(
          Problem.error(
              "no driver starts: " + failure,
              "correct what it names, or choose another driver with --driver"));
    }
    if (library == null) {
      return problems;
    }
    InitFailure init = driver.initFailure();
    if (init != null) {
      problems.add(notStarted(library.name(), init.code(), init.text(), host));
    } else if (devices == 0) {
      problems.add(noDevice(library.name() + " starts, but counts 0 devices", host));
    }
    if (!library.software()) {
      problems.addAll(versions(library));
    }
    return problems;
  }

  /** Libraries that were passed over: errors where nothing was taken in their place. */
  private static List<Problem> attempts(
      DriverFacts driver, HostFacts host, NativeAccessFacts nativeAccess) {
    List<Problem> problems = new ArrayList<>();
    boolean nothing = driver.library() == null;
    List<Attempt> notLoaded = new ArrayList<>();
    Set<Integer> told = new HashSet<>();
    for (Attempt attempt : driver.attempts()) {
      Severity severity = nothing ? Severity.ERROR : Severity.WARNING;
      String what = attempt.what();
      switch (attempt.outcome()) {
        case TAKEN -> {}
        case NOT_LOADED -> notLoaded.add(attempt);
        case NO_DEVICE, NOT_INITIALISED -> {
          // libcuda.so is mostly a link to libcuda.so.1, and then says the same.
          if (told.add(attempt.initResult())) {
            problems.add(
                notStarted(what, attempt.initResult(), String.valueOf(attempt.failure()), host)
                    .as(severity));
          }
        }
        case NO_NATIVE_ACCESS ->
            problems.add(
                new Problem(
                    severity,
                    what + " cannot be loaded: Java refuses native access",
                    "start Java with " + nativeAccess.flag()));
        case NOT_A_DRIVER ->
            problems.add(
                new Problem(
                    severity,
                    what + " " + attempt.failure(),
                    "name the driver library, libcuda.so.1 (nvcuda.dll on Windows), "
                        + CHOOSE_SOFTWARE));
        case NO_SERVICE ->
            problems.add(
                new Problem(
                    severity,
                    "the software GPU is not there: " + attempt.failure(),
                    "put the jar of reprise-software-gpu on the class or module path"));
        case NOT_STARTED ->
            problems.add(
                new Problem(
                    severity,
                    "the software GPU does not start: " + attempt.failure(),
                    "correct or remove the setting that is named"));
      }
    }
    notLoaded(notLoaded, nothing, driver, host).ifPresent(problems::add);
    return problems;
  }

  /** The names of one library are one problem, unless another of them was found after all. */
  private static Optional<Problem> notLoaded(
      List<Attempt> notLoaded, boolean nothing, DriverFacts driver, HostFacts host) {
    Library library = driver.library();
    boolean another =
        driver.attempts().stream()
            .anyMatch(attempt ->
                attempt.outcome() == Outcome.NO_DEVICE
                    || attempt.outcome() == Outcome.NOT_INITIALISED);
    if (notLoaded.isEmpty()
        || another
        || (library != null && library.kind() == DriverLibrary.Kind.CUDA)) {
      return Optional.empty();
    }
    Attempt first = notLoaded.getFirst();
    String what = first.what() + " " + first.failure();
    if (nothing) {
      return Optional.of(
          Problem.error(what, "install NVIDIA's driver, or name its library; " + CHOOSE_SOFTWARE));
    }
    if (host.nvidia().hasDevice()) {
      return Optional.of(
          Problem.warning(
              "this machine has an NVIDIA device, but its driver library is not to be found: "
                  + what,
              "install the library (in a container: NVIDIA_DRIVER_CAPABILITIES=compute,utility), or"
                  + " name its path with --driver"));
    }
    return Optional.of(
        new Problem(
            Severity.NOTE,
            "there is no NVIDIA driver, so the software GPU is used: " + what,
            "nothing, unless this machine has an NVIDIA device: then install its driver"));
  }

  private static Problem notStarted(String name, int code, String text, HostFacts host) {
    Optional<InitResult> known = InitResult.of(code);
    if (known.isEmpty()) {
      return Problem.error(
          name + " loads, but does not start: " + text,
          "run nvidia-smi, and install the driver again where it fails too; " + CHOOSE_SOFTWARE);
    }
    InitResult result = known.get();
    String what = name + " loads, but cuInit answers " + code + ": " + result.meaning();
    return result == InitResult.NO_DEVICE
        ? noDevice(what, host)
        : Problem.error(what, result.fix());
  }

  private static Problem noDevice(String what, HostFacts host) {
    String why = host.nvidia().whyNoDevice().map(cause -> "; " + cause).orElse("");
    String first = host.nvidia().hidesAll() ? "unset " + NvidiaSigns.VISIBLE_DEVICES + ", or " : "";
    return Problem.error(what + why, first + InitResult.NO_DEVICE.fix());
  }

  private static List<Problem> versions(Library library) {
    List<Problem> problems = new ArrayList<>();
    int version = library.version();
    if (version == 0) {
      problems.add(
          Problem.warning(
              library.name() + " does not say its version",
              "name NVIDIA's own driver library; " + CHOOSE_SOFTWARE));
    } else if (version < OLDEST) {
      problems.add(
          Problem.error(
              "%s is a driver for CUDA %s, and Reprise needs %s or newer"
                  .formatted(library.name(), CudaVersion.text(version), CudaVersion.text(OLDEST)),
              "install NVIDIA driver 525 or newer; " + CHOOSE_SOFTWARE));
    }
    List<Missing> unexpected = library.entryPoints().unexpected();
    if (!unexpected.isEmpty() && version != 0) {
      problems.add(
          Problem.warning(
              "%s lacks %d functions that a driver for CUDA %s should have, such as %s"
                  .formatted(
                      library.name(),
                      unexpected.size(),
                      CudaVersion.text(version),
                      unexpected.getFirst().function()),
              "install NVIDIA's own driver again; --verbose lists the functions"));
    }
    return problems;
  }
}
