package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Processes that end while streams have host functions to call, or with objects open. */
final class EndOfProcessTest {

  /** What a process says that ends in one way. */
  private static List<String> linesOf(String way) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                // It lives for a second: the second compiler would only be in the way.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dreprise.driver=" + System.getProperty("reprise.driver", "auto"),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                EndingProcess.class.getName(),
                way)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(3);
    return output.lines().toList();
  }

  @Test
  void whatIsOpenIsToldWithItsSizeAndWhereItWasMade() throws Exception {
    assertThat(linesOf("open"))
        .filteredOn(line -> !line.startsWith("["))
        .containsExactly(
            "Device 'device-0' is still open at the end of the process.",
            "  dev.reprise.cuda.ownership.Site: Device 'device-0' was created here",
            "Stream 'main' is still open at the end of the process.",
            "  dev.reprise.cuda.ownership.Site: Stream 'main' was created here",
            "DeviceBuffer 'weights' (4096 bytes) is still open at the end of the process.",
            "  dev.reprise.cuda.ownership.Site: DeviceBuffer 'weights' was created here");
  }

  @Test
  void hostFunctionsThatWereLaunchedAreDoneBeforeTheProcessEnds() throws Exception {
    assertThat(linesOf("launched")).containsSubsequence("first is done", "second is done");
  }

  @Test
  void thoseOfAStreamThatIsClosedAreDoneBeforeTheProcessEnds() throws Exception {
    assertThat(linesOf("closed")).containsSubsequence("first is done", "second is done");
  }

  @Test
  void thoseOfAReplayAreDoneBeforeTheProcessEnds() throws Exception {
    assertThat(linesOf("replayed")).containsSubsequence("first is done", "second is done");
  }

  @Test
  void tasksAreHandedOverBeforeTheProcessEnds() throws Exception {
    assertThat(linesOf("handed-over")).containsSubsequence("hand-over is done", "task is done");
  }

  @Test
  void noneIsBegunWhileTheProcessEnds() throws Exception {
    assertThat(linesOf("refused"))
        .contains(
            "Host function 'late' is refused on stream 'main': the process is ending, and no host"
                + " function is begun any more.",
            "A replay of graph 'main capture 1' is refused on stream 'main': the process is ending,"
                + " and no host function is begun any more.");
  }

  @Test
  void oneThatDoesNotReturnInTimeIsReportedAndThoseBehindItAreNotRun() throws Exception {
    assertThat(linesOf("endless"))
        .contains(
            "Stream 'main' had work with host functions left when the process ended, of which"
                + " 'endless' did not return; it was waited for 5000 ms. Wait for the stream before"
                + " the program ends.")
        .doesNotContain("must not run");
  }
}
