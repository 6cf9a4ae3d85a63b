package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A sticky error, in a process of its own since it ends the use of CUDA in that process. */
final class PoisonedContextTest {

  @Test
  void aStickyErrorIsFlaggedAndClosingStillWorks() throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dreprise.driver=" + System.getProperty("reprise.driver", "auto"),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                PoisonedContext.class.getName())
            .redirectErrorStream(true);
    // The mistake is made on purpose; whatever else the sanitizer finds would fail the process.
    builder
        .environment()
        .computeIfPresent("REPRISE_SANITIZE", (name, options) -> options + ",-out-of-bounds");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.lines())
        .containsSubsequence(
            "CUDA_ERROR_ILLEGAL_ADDRESS poisoned=true",
            "CUDA_ERROR_ILLEGAL_ADDRESS poisoned=true",
            "closed");
  }
}
