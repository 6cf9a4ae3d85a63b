package dev.reprise.softgpu.ptx;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * From which lines of source the lines of a PTX text come: PTX ISA, directives {@code .file} and
 * {@code .loc}. Immutable.
 */
public final class SourceLines {

  private static final Pattern FILE = Pattern.compile("\\s*\\.file\\s+(\\d+)\\s+\"([^\"]*)\".*");
  private static final Pattern LOC = Pattern.compile("\\s*\\.loc\\s+(\\d+)\\s+(\\d+)\\s+\\d+.*");
  private static final SourceLines NONE = new SourceLines(new TreeMap<>(), Map.of());

  private record Place(String file, int line) {}

  private final TreeMap<Integer, Place> places;
  private final Map<String, String> files;

  private SourceLines(TreeMap<Integer, Place> places, Map<String, String> files) {
    this.places = places;
    this.files = files;
  }

  /** Reads the directives of a text. */
  public static SourceLines of(String ptx) {
    if (!ptx.contains(".loc")) {
      return NONE;
    }
    TreeMap<Integer, Place> places = new TreeMap<>();
    Map<String, String> files = new HashMap<>();
    int number = 0;
    for (String line : ptx.lines().toList()) {
      number++;
      Matcher loc = LOC.matcher(line);
      Matcher file = FILE.matcher(line);
      if (loc.matches()) {
        places.put(number, new Place(loc.group(1), Integer.parseInt(loc.group(2))));
      } else if (file.matches()) {
        files.put(file.group(1), file.group(2));
      }
    }
    return new SourceLines(places, files);
  }

  /** File name and line that a PTX line comes from, such as {@code a.cu:12}; null where unknown. */
  public @Nullable String at(int ptxLine) {
    Map.Entry<Integer, Place> entry = places.floorEntry(ptxLine);
    if (entry == null) {
      return null;
    }
    String file = files.get(entry.getValue().file);
    Path name = file == null ? null : Path.of(file).getFileName();
    return name == null ? null : name + ":" + entry.getValue().line;
  }
}
