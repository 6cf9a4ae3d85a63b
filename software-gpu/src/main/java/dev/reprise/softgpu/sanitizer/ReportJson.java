package dev.reprise.softgpu.sanitizer;

import dev.reprise.softgpu.sanitizer.Report.AllocationPlace;
import dev.reprise.softgpu.sanitizer.Report.KernelPlace;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A report as one line of JSON. Addresses are strings, as JSON numbers do not hold all of them. */
final class ReportJson {

  private ReportJson() {}

  static String of(Report report) {
    StringJoiner s = new StringJoiner(",", "{", "}");
    s.add(field("kind", report.kind().text())).add(field("what", report.what()));
    KernelPlace place = report.place();
    if (place != null) {
      s.add(field("kernel", place.kernel()));
      if (place.line() > 0) {
        s.add("\"ptxLine\":" + place.line());
      }
      optional(s, "source", place.source());
      optional(s, "block", place.block());
      optional(s, "thread", place.thread());
    }
    if (report.address().isPresent()) {
      s.add(field("address", hex(report.address().getAsLong())));
    }
    AllocationPlace a = report.allocation();
    if (a != null) {
      s.add(
          "\"allocation\":{%s,\"size\":%d,%s,\"live\":%b,\"offset\":%d}"
              .formatted(
                  field("base", hex(a.base())),
                  a.size(),
                  field("by", a.what()),
                  a.live(),
                  a.offset()));
    }
    if (report.seed().isPresent()) {
      s.add("\"seed\":" + report.seed().getAsLong());
    }
    if (!report.stacks().isEmpty()) {
      StringJoiner stacks = new StringJoiner(",", "\"stacks\":{", "}");
      report
          .stacks()
          .forEach((role, stack) ->
              stacks.add(
                  quoted(role.name().toLowerCase(Locale.ROOT))
                      + ":{"
                      + field("thread", stack.thread())
                      + ",\"frames\":"
                      + array(stack.lines())
                      + "}"));
      s.add(stacks.toString());
    }
    return s.toString();
  }

  private static void optional(StringJoiner s, String name, @Nullable String value) {
    if (value != null) {
      s.add(field(name, value));
    }
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }

  private static String field(String name, String value) {
    return quoted(name) + ":" + quoted(value);
  }

  private static String array(List<String> values) {
    StringJoiner s = new StringJoiner(",", "[", "]");
    values.forEach(value -> s.add(quoted(value)));
    return s.toString();
  }

  private static String quoted(String text) {
    StringBuilder s = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> s.append('\\').append(c);
        case '\n' -> s.append("\\n");
        case '\t' -> s.append("\\t");
        default -> {
          if (c < ' ') {
            s.append("\\u%04x".formatted((int) c));
          } else {
            s.append(c);
          }
        }
      }
    }
    return s.append('"').toString();
  }
}
