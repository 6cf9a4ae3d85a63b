package dev.reprise.sources;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The format check: what {@code mvn spotless:apply} makes. Spotless itself would need a newer JVM
 * than Maven may run on, and would start cold in each module. The whole tree takes as long as a
 * fifteenth of the build and is looked at by {@code .ci/run}; here only what a planted source
 * shows.
 */
class SourceFormatTest {

  private static final Path ROOT = Path.of(System.getProperty("reprise.root"));

  @Test
  @Tag("whole-tree")
  void everySourceIsFormatted() throws Exception {
    List<Path> sources = Sources.of(ROOT);
    assertThat(sources).hasSizeGreaterThan(50);
    List<String> unformatted =
        sources.parallelStream()
            .filter(file -> !isFormatted(file))
            .map(file -> ROOT.relativize(file).toString())
            .toList();
    assertThat(unformatted).as("run mvn spotless:apply on a JDK of 21 or newer").isEmpty();
  }

  @Test
  void aPlantedUnformattedSourceIsCaught() throws Exception {
    Path planted = ROOT.resolve("sources/src/test/resources/planted/Unformatted.java");
    assertThat(isFormatted(planted)).isFalse();
  }

  @Test
  void spotlessFormatsWithTheSameVersion() throws IOException {
    String property = "<version>${google-java-format.version}</version>";
    assertThat(Files.readString(ROOT.resolve("pom.xml")))
        .contains("spotless-maven-plugin")
        .contains(property);
    assertThat(Files.readString(ROOT.resolve("sources/pom.xml"))).contains(property);
  }

  private static boolean isFormatted(Path file) {
    try {
      String text = Files.readString(file);
      String imports =
          ImportOrderer.reorderImports(
              RemoveUnusedImports.removeUnusedImports(text), JavaFormatterOptions.Style.GOOGLE);
      return new Formatter().formatSource(imports).equals(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (FormatterException e) {
      throw new IllegalStateException(file + " is no Java source", e);
    }
  }
}
