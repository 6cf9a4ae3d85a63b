package dev.reprise.softgpu.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Profiles as text. */
public final class ProfileReport {
  private ProfileReport() {}

  /** A block of lines for each kernel, for people. */
  public static List<String> lines(List<KernelProfile> profiles) {
    List<String> lines = new ArrayList<>();
    for (KernelProfile p : profiles) {
      lines.add("kernel " + p.kernel() + ", launches " + p.launches());
      line(lines, "warp instructions", p.warpInstructions());
      line(lines, "thread instructions", p.threadInstructions());
      lines.add(
          String.format(
              Locale.ROOT, "  %-32s %18.2f", "lanes per instruction", p.lanesPerInstruction()));
      p.counts().forEach((name, value) -> line(lines, name, value));
      mean(lines, "sectors per global load", p.sectorsPerLoad());
      mean(lines, "sectors per global store", p.sectorsPerStore());
      mean(lines, "flops per byte", p.flopsPerByte());
    }
    return lines;
  }

  private static void line(List<String> lines, String name, long value) {
    lines.add(String.format(Locale.ROOT, "  %-32s %,18d", name, value));
  }

  private static void mean(List<String> lines, String name, double value) {
    if (!Double.isNaN(value) && !Double.isInfinite(value)) {
      lines.add(String.format(Locale.ROOT, "  %-32s %18.2f", name, value));
    }
  }

  /** A JSON array with an object for each profile. */
  public static String json(List<KernelProfile> profiles) {
    return profiles.stream().map(ProfileReport::object).collect(Collectors.joining(",", "[", "]"));
  }

  private static String object(KernelProfile p) {
    return p.counts().entrySet().stream()
        .map(e -> ",\"" + e.getKey() + "\":" + e.getValue())
        .collect(
            Collectors.joining(
                "", "{\"kernel\":\"" + p.kernel() + "\",\"launches\":" + p.launches(), "}"));
  }

  /** Comma-separated values with a heading, a line for each profile. */
  public static String csv(List<KernelProfile> profiles) {
    SortedSet<String> names = new TreeSet<>();
    profiles.forEach(p -> names.addAll(p.counts().keySet()));
    StringBuilder csv = new StringBuilder("kernel,launches");
    names.forEach(name -> csv.append(',').append(name));
    for (KernelProfile p : profiles) {
      csv.append('\n').append(p.kernel()).append(',').append(p.launches());
      names.forEach(name -> csv.append(',').append(p.count(name)));
    }
    return csv.append('\n').toString();
  }
}
