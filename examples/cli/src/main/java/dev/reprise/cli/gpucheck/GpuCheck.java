package dev.reprise.cli.gpucheck;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cli.doctor.Diagnosis;
import dev.reprise.cli.doctor.Doctor;
import dev.reprise.cli.gpucheck.SectionReport.Status;
import dev.reprise.cuda.Device;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks and measures device 0. The report is written after each section, so that a run that is
 * ended from outside leaves what it had.
 */
public final class GpuCheck {

  private static final Logger LOG = LoggerFactory.getLogger(GpuCheck.class);

  private static final List<Section> SECTIONS =
      List.of(
          new DeviceSection(),
          new KernelSection(),
          new GoldenSection(),
          new SampledSection(),
          new GraphSection(),
          new LaunchSection(),
          new DecodeSection(),
          new CopySection());

  /**
   * What a run gave.
   *
   * @param passed whether every check passed
   * @param summary lines for people
   * @param json the report for programs
   * @param markdown the report for people
   */
  public record Outcome(boolean passed, List<String> summary, Path json, Path markdown) {}

  private final Path folder;
  private final Path json;
  private final Path markdown;
  private final Consumer<String> progress;

  private GpuCheck(Path folder, Consumer<String> progress) {
    this.folder = folder;
    this.json = folder.resolve("gpu-check.json");
    this.markdown = folder.resolve("gpu-check.md");
    this.progress = progress;
  }

  /**
   * Runs all sections. Chooses the driver of this process if that was not done.
   *
   * @param driver the value of {@code --driver}
   * @param folder where the report goes; made if it is not there
   * @param version of Reprise
   * @param progress told each section as it begins
   * @throws UncheckedIOException if the report cannot be written
   */
  public static Outcome run(
      Optional<String> driver,
      Path folder,
      CheckPlan plan,
      String version,
      Consumer<String> progress) {
    return new GpuCheck(folder, progress).run(driver, plan, version, SECTIONS);
  }

  /** As {@link #run(Optional, Path, CheckPlan, String, Consumer)}, with other sections. */
  static Outcome run(Path folder, CheckPlan plan, List<Section> sections) {
    return new GpuCheck(folder, name -> {}).run(Optional.empty(), plan, "test", sections);
  }

  private Outcome run(
      Optional<String> driver, CheckPlan plan, String version, List<Section> sections) {
    Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    // Before minutes are spent on what cannot be written.
    makeFolder(folder);
    Diagnosis diagnosis = Doctor.examine(driver);
    String device = "none";
    String library = "no driver";
    boolean software = false;
    if (diagnosis.canRun()) {
      DriverLibrary taken = DriverLibrary.current();
      library = taken.describe();
      software = taken.kind() == DriverLibrary.Kind.SOFTWARE;
      device = deviceName();
    }
    List<SectionReport> reports = new ArrayList<>();
    CheckReport report = null;
    for (Section section : sections) {
      progress.accept(section.title());
      reports.add(diagnosis.canRun() ? runOne(section, plan) : skipped(section));
      report =
          new CheckReport(
              version,
              started,
              plan,
              device,
              library,
              software,
              diagnosis,
              reports.size() == sections.size(),
              List.copyOf(reports));
      write(report);
    }
    if (report == null) {
      throw new IllegalArgumentException("there are no sections to run");
    }
    return new Outcome(report.passed(), CheckMarkdown.summary(report), json, markdown);
  }

  private static String deviceName() {
    try (Device device = Device.open(0)) {
      return device.name();
    }
  }

  private static SectionReport runOne(Section section, CheckPlan plan) {
    SectionLog log = new SectionLog();
    long start = System.nanoTime();
    String error = null;
    try {
      section.run(plan, log);
    } catch (RuntimeException | LinkageError | VirtualMachineError e) {
      LOG.debug("Section {} broke off", section.key(), e);
      String message = e.getMessage();
      error = e.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }
    return log.report(section, (System.nanoTime() - start) / 1e9, error);
  }

  private static SectionReport skipped(Section section) {
    return new SectionReport(
        section.key(),
        section.title(),
        section.timed(),
        Status.SKIPPED,
        0,
        "there is no device that Reprise can run on; the doctor says why",
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  private static void makeFolder(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make folder " + folder + ": " + e.getMessage(), e);
    }
  }

  private void write(CheckReport report) {
    try {
      Files.writeString(json, CheckJson.text(report));
      Files.writeString(markdown, CheckMarkdown.text(report));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the report: " + e.getMessage(), e);
    }
  }
}
