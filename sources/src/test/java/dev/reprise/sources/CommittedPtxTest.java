package dev.reprise.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where the toolkit that made the committed PTX is installed, checks that the sources give it. */
class CommittedPtxTest {

  private static final Path NATIVE = Path.of(System.getProperty("reprise.root"), "native");
  private static final String TOOLKIT = "# toolkit\t";

  @Test
  void isWhatTheSourcesGive() throws Exception {
    assumeTrue(onPath("nvcc") && onPath("ptxas"), "nvcc and ptxas are not on the PATH");
    String made = toolkit();
    String here = run(List.of("nvcc", "--version")).output();
    assumeTrue(
        here.contains("V" + made), "the PTX was made by toolkit " + made + ", here is " + here);
    Result check = run(List.of("bash", NATIVE.resolve("build.sh").toString(), "--check"));
    assertThat(check.status()).as(check.output()).isZero();
    assertThat(check.output()).contains("the committed PTX is what the sources give");
  }

  /**
   * The version of the toolkit that made the committed PTX, from the head of its resource table.
   */
  private static String toolkit() throws IOException {
    Path table = NATIVE.resolve("src/main/resources/dev/reprise/kernels/resources.tsv");
    String head = Files.readAllLines(table).getFirst();
    assertThat(head).startsWith(TOOLKIT);
    return head.substring(TOOLKIT.length());
  }

  private record Result(int status, String output) {}

  private static Result run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  private static boolean onPath(String tool) {
    String path = System.getenv("PATH");
    if (path == null) {
      return false;
    }
    for (String folder : path.split(File.pathSeparator)) {
      if (Files.isExecutable(Path.of(folder, tool))) {
        return true;
      }
    }
    return false;
  }
}
