package dev.reprise.softgpu.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With what a process ends. */
class ExitStatusTest {

  @TempDir private Path folder = Path.of("");

  private int statusOf(String options, int leaks) throws IOException, InterruptedException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            LeakyProgram.class.getName(),
            options,
            Integer.toString(leaks))
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start()
        .waitFor();
  }

  @Test
  void reportsChangeIt() throws Exception {
    assertThat(statusOf("stacks,exit=3", 1)).isEqualTo(3);
  }

  @Test
  void withoutReportsItIsTheProgramsOwn() throws Exception {
    assertThat(statusOf("stacks,exit=3", 0)).isZero();
  }
}
