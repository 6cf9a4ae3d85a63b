package dev.reprise.softgpu.sanitizer;

import dev.reprise.softgpu.sanitizer.Report.AllocationPlace;
import dev.reprise.softgpu.sanitizer.Report.KernelPlace;

/** A report as a block of text. */
final class ReportText {

  private ReportText() {}

  static String of(Report report) {
    StringBuilder s = new StringBuilder();
    s.append(report.kind().text()).append(": ").append(report.what());
    KernelPlace place = report.place();
    if (place != null) {
      s.append("\n  in kernel ").append(place.kernel());
      if (place.line() > 0) {
        s.append(", PTX line ").append(place.line());
      }
      if (place.source() != null) {
        s.append(" (").append(place.source()).append(')');
      }
      if (place.block() != null) {
        s.append(", block ").append(place.block());
      }
      if (place.thread() != null) {
        s.append(", thread ").append(place.thread());
      }
    }
    AllocationPlace allocation = report.allocation();
    if (allocation != null) {
      s.append("\n  ").append(where(allocation));
    }
    report
        .stacks()
        .forEach((role, stack) -> {
          s.append("\n  ").append(role.text()).append(" on thread ").append(stack.thread());
          stack.lines().forEach(line -> s.append("\n    at ").append(line));
        });
    if (report.seed().isPresent()) {
      s.append("\n  under simulation seed=").append(report.seed().getAsLong());
    }
    return s.toString();
  }

  private static String where(AllocationPlace a) {
    String distance;
    if (a.offset() < 0) {
      distance = -a.offset() + " bytes in front of";
    } else if (a.offset() >= a.size()) {
      distance = a.offset() - a.size() + " bytes behind";
    } else {
      distance = a.offset() + " bytes into";
    }
    return "%s %s allocation [0x%x, 0x%x) of %d bytes by %s"
        .formatted(
            distance,
            a.live() ? "the" : "the freed",
            a.base(),
            a.base() + a.size(),
            a.size(),
            a.what());
  }
}
