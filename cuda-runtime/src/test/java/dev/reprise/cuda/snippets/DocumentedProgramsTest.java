package dev.reprise.cuda.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Programs on the pages of {@code docs} that say where they are compiled, by a line {@code <!--
 * compiled: class#region -->} above them, are what is there.
 */
final class DocumentedProgramsTest {

  private static final Path ROOT = Path.of(System.getProperty("reprise.root", ".."));
  private static final Path TEST = Path.of("src", "test", "java");

  private static final Pattern PROGRAM =
      Pattern.compile(
          "<!-- compiled: ([\\w.]+)#([\\w-]+) -->\\n```java\\n(.*?)```", Pattern.DOTALL);

  /**
   * A program on a page.
   *
   * @param type the class that it is compiled in
   * @param region the region there
   * @param text its lines
   */
  private record Program(String type, String region, String text) {}

  private static List<Program> programs(String page) {
    return PROGRAM
        .matcher(page)
        .results()
        .map(match -> new Program(match.group(1), match.group(2), match.group(3)))
        .toList();
  }

  /** The lines of a region of a source, as far to the left as they go. */
  private static String region(String source, String name) {
    List<String> lines = source.lines().toList();
    int start = indexOf(lines, "// @start region=\"" + name + "\"", 0);
    List<String> region = lines.subList(start + 1, indexOf(lines, "// @end", start));
    int margin =
        region.stream()
            .filter(line -> !line.isBlank())
            .mapToInt(line -> line.length() - line.stripLeading().length())
            .min()
            .orElseThrow();
    StringBuilder text = new StringBuilder();
    region.forEach(line -> text.append(line.isBlank() ? "" : line.substring(margin)).append('\n'));
    return text.toString();
  }

  private static int indexOf(List<String> lines, String text, int from) {
    for (int i = from; i < lines.size(); i++) {
      if (lines.get(i).strip().equals(text)) {
        return i;
      }
    }
    throw new AssertionError("no line '%s'".formatted(text));
  }

  @Test
  void programsOnThePagesAreCompiled() throws IOException {
    int found = 0;
    try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
      for (Path page : pages.filter(each -> each.toString().endsWith(".md")).toList()) {
        for (Program program : programs(Files.readString(page))) {
          Path file = TEST.resolve(program.type().replace('.', '/') + ".java");
          assertThat(program.text())
              .as("%s: %s", page.getFileName(), program.region())
              .isEqualTo(region(Files.readString(file), program.region()));
          found++;
        }
      }
    }
    assertThat(found).isPositive();
  }

  /** A link to a program. */
  private static final Pattern LINK =
      Pattern.compile("\\]\\((\\.\\./[\\w/.-]+/(\\w+Test)\\.java)\\)");

  @Test
  void everyExampleIsOnThePage() throws IOException {
    List<MatchResult> links =
        LINK.matcher(Files.readString(ROOT.resolve("docs/cuda-runtime.md"))).results().toList();
    assertThat(links)
        .allSatisfy(
            link -> assertThat(ROOT.resolve("docs").resolve(link.group(1))).isRegularFile());
    try (Stream<Path> files = Files.list(TEST.resolve("dev/reprise/cuda/examples"))) {
      assertThat(links.stream().map(link -> link.group(2)))
          .doesNotHaveDuplicates()
          .hasSizeGreaterThan(15)
          .containsAll(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> name.endsWith("Test.java"))
                  .map(name -> name.replace(".java", ""))
                  .toList());
    }
  }

  @Test
  void aProgramThatDiffersIsFound() {
    String page =
        """
        Text.

        <!-- compiled: a.B#one -->
        ```java
        first();
          second();
        ```
        """;
    Program program = programs(page).getFirst();
    assertThat(program).isEqualTo(new Program("a.B", "one", "first();\n  second();\n"));
    String source =
        """
            // @start region="one"
            first();
              second();
            // @end
        """;
    assertThat(region(source, "one")).isEqualTo(program.text());
    assertThat(region(source.replace("second", "third"), "one")).isNotEqualTo(program.text());
    assertThatThrownBy(() -> region(source, "two")).isInstanceOf(AssertionError.class);
  }
}
