package dev.reprise.cli.ptx;

import dev.reprise.softgpu.profile.KernelProfile;
import java.util.List;
import java.util.Optional;

/**
 * What became of a launch.
 *
 * @param outputs the bytes of each {@code out} and {@code inout} argument as hex, in their order;
 *     empty if it failed
 * @param error what went wrong, in one line; empty if nothing
 * @param refused whether it was asked for wrongly, and so not run
 * @param reports what the software GPU found
 * @param profile what the kernel did; empty if that was not asked for
 * @param printed what the kernel printed; on the software GPU only
 */
public record CaseResult(
    String name,
    List<String> outputs,
    Optional<String> error,
    boolean refused,
    List<Report> reports,
    List<KernelProfile> profile,
    String printed) {

  /**
   * A finding.
   *
   * @param kind such as {@code CUDA_ERROR_ILLEGAL_ADDRESS}
   * @param text what, where and whose memory
   */
  public record Report(String kind, String text) {}

  /** Whether it ran to its end. */
  public boolean ok() {
    return error.isEmpty();
  }

  static CaseResult done(String name, List<String> outputs) {
    return new CaseResult(name, outputs, Optional.empty(), false, List.of(), List.of(), "");
  }

  static CaseResult failed(String name, String error, List<Report> reports) {
    return new CaseResult(name, List.of(), Optional.of(oneLine(error)), false, reports, List.of(), "");
  }

  static CaseResult refused(String name, String error) {
    return new CaseResult(name, List.of(), Optional.of(oneLine(error)), true, List.of(), List.of(), "");
  }

  /** A case at which this program itself failed. */
  public static CaseResult flawed(String name, Throwable failure) {
    return failed(name, "the run broke off: " + failure, List.of());
  }

  CaseResult with(List<KernelProfile> counted, String text) {
    return new CaseResult(name, outputs, error, refused, reports, counted, text);
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " | ");
  }
}
