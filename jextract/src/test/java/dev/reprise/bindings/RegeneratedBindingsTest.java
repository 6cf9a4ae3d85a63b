package dev.reprise.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bindings are what {@code generate.sh} makes, to the byte. Skipped where jextract is not on
 * the PATH, or the header of CUDA 13.0 is not there.
 */
class RegeneratedBindingsTest {

  private static final Path MODULE = Path.of("").toAbsolutePath();
  private static final String SOURCES = "src/generated/java";
  private static final String TABLE = "src/main/resources/dev/reprise/bindings/driver-symbols.txt";

  @TempDir private Path folder;

  @Test
  void theCommittedFilesAreWhatTheScriptMakes() throws IOException, InterruptedException {
    String path = String.valueOf(System.getenv("PATH"));
    assumeThat(Arrays.stream(path.split(File.pathSeparator)))
        .as("jextract on the PATH")
        .anyMatch(each -> Files.isExecutable(Path.of(each, "jextract")));
    String home = System.getenv().getOrDefault("CUDA_HOME", "/usr/local/cuda-13.0");
    assumeThat(Path.of(home, "include", "cuda.h")).as("the header of CUDA").isRegularFile();

    Files.copy(MODULE.resolve("generate.sh"), folder.resolve("generate.sh"));
    Files.copy(MODULE.resolve("symbols.txt"), folder.resolve("symbols.txt"));
    Path log = folder.resolve("log");
    Process script =
        new ProcessBuilder("sh", folder.resolve("generate.sh").toString(), home)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(script.waitFor()).as(Files.readString(log)).isZero();

    assertThat(files(folder.resolve(SOURCES))).isEqualTo(files(MODULE.resolve(SOURCES)));
    assertThat(folder.resolve(TABLE)).hasSameTextualContentAs(MODULE.resolve(TABLE));
  }

  /** The text of each file in a folder. */
  private static Map<String, String> files(Path root) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (var all = Files.walk(root)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        texts.put(root.relativize(file).toString(), Files.readString(file, StandardCharsets.UTF_8));
      }
    }
    assertThat(texts).isNotEmpty();
    return texts;
  }
}
