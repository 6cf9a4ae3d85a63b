package dev.reprise.sources;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The committed PTX and the sources it was made from are those whose hashes {@code native/build.sh}
 * wrote beside them. {@code native/build.sh --check} compiles them again, which takes long and the
 * toolkit that made them.
 */
class CommittedPtxTest {

  private static final Path NATIVE = Path.of(System.getProperty("reprise.root"), "native");
  private static final Path COMMITTED = NATIVE.resolve("src/main/resources/dev/reprise/kernels");

  @Test
  void wasMadeFromTheSources() throws Exception {
    assertThat(sources(NATIVE)).as("run native/build.sh").isEqualTo(head("# sources"));
  }

  @Test
  void isWhatWasMade() throws Exception {
    assertThat(ptx(COMMITTED)).as("run native/build.sh").isEqualTo(head("# ptx"));
  }

  @Test
  void anotherByteOrNameOfASourceIsSeen(@TempDir Path copy) throws Exception {
    Path cuda = copy.resolve("src/main/cuda");
    Files.createDirectories(cuda);
    Files.copy(NATIVE.resolve("build.sh"), copy.resolve("build.sh"));
    for (Path file : files(NATIVE.resolve("src/main/cuda"), "")) {
      Files.copy(file, cuda.resolve(file.getFileName().toString()));
    }
    assertThat(sources(copy)).isEqualTo(head("# sources"));
    Path norm = cuda.resolve("norm.cu");
    Files.writeString(norm, Files.readString(norm) + " ");
    String changed = sources(copy);
    assertThat(changed).isNotEqualTo(head("# sources"));
    Files.move(norm, cuda.resolve("norms.cu"));
    assertThat(sources(copy)).isNotEqualTo(changed);
  }

  private static String head(String name) throws IOException {
    return Files.readAllLines(COMMITTED.resolve("resources.tsv")).stream()
        .filter(line -> line.startsWith(name + "\t"))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElseThrow();
  }

  private static String sources(Path folder) throws Exception {
    StringBuilder all = new StringBuilder();
    add(all, folder, folder.resolve("build.sh"));
    for (Path file : files(folder.resolve("src/main/cuda"), "")) {
      add(all, folder, file);
    }
    return hash(all.toString().getBytes(UTF_8));
  }

  private static String ptx(Path folder) throws Exception {
    StringBuilder all = new StringBuilder();
    for (Path virtual : files(folder, "")) {
      if (Files.isDirectory(virtual)) {
        for (Path file : files(virtual, ".ptx")) {
          add(all, folder, file);
        }
      }
    }
    return hash(all.toString().getBytes(UTF_8));
  }

  private static List<Path> files(Path folder, String ending) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  /** As {@code sha256sum} writes it. */
  private static void add(StringBuilder all, Path folder, Path file) throws Exception {
    all.append(hash(Files.readAllBytes(file)))
        .append("  ")
        .append(folder.relativize(file))
        .append('\n');
  }

  private static String hash(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
