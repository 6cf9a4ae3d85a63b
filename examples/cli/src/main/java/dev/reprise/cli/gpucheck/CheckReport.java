package dev.reprise.cli.gpucheck;

import dev.reprise.cli.doctor.Diagnosis;
import dev.reprise.cli.gpucheck.SectionReport.Status;
import java.time.Instant;
import java.util.List;

/**
 * All that was found.
 *
 * @param version of Reprise
 * @param started when the check began
 * @param plan how much was checked
 * @param device the name of device 0
 * @param driver the line that says which driver was chosen and why
 * @param softwareDevice whether the device is software, so that times say nothing about a GPU
 * @param diagnosis what the doctor found
 * @param complete whether all sections are there
 * @param sections the sections, in order
 */
record CheckReport(
    String version,
    Instant started,
    CheckPlan plan,
    String device,
    String driver,
    boolean softwareDevice,
    Diagnosis diagnosis,
    boolean complete,
    List<SectionReport> sections) {

  /** Whether all sections are there and every check passed. */
  boolean passed() {
    return complete && sections.stream().allMatch(section -> section.status() == Status.PASSED);
  }
}
