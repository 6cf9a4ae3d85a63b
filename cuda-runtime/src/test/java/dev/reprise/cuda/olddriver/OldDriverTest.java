package dev.reprise.cuda.olddriver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.spi.DriverProvider;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drivers from CUDA 12.0 on do; in a process each, since that has one driver for its life. */
final class OldDriverTest {

  private static List<String> cuda120 = List.of();

  @BeforeAll
  static void runOnCuda120(@TempDir Path services) throws Exception {
    cuda120 = run(services, 12000);
  }

  private static List<String> run(Path services, int version)
      throws IOException, InterruptedException {
    Path service = services.resolve("META-INF/services/" + DriverProvider.class.getName());
    Files.createDirectories(service.getParent());
    Files.writeString(service, OldDriver.class.getName());
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dreprise.driver=software",
                "-D" + OldDriver.VERSION + "=" + version,
                "-cp",
                services
                    + File.pathSeparator
                    + System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path")),
                OldDriverProgram.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }

  @Test
  void launchesCapturesAndGraphsDoWithoutWhatCameAfterCuda120() {
    assertThat(cuda120)
        .containsSubsequence(
            "driver 12000",
            "tells parameters: false",
            "too few arguments: taken",
            "eager [7, 7, 7, 7]",
            "captured [3, 7, 7, 7]",
            "built [7, 5, 7, 7]",
            "third after 1",
            "still usable [9, 9, 9, 9]");
    assertThat(cuda120)
        .as("the log says what is not checked, and why")
        .filteredOn(line -> line.contains("not checked"))
        .singleElement()
        .asString()
        .contains("CUDA 12.0", "cuFuncGetParamInfo", "CUDA 12.4");
  }

  @Test
  void whatNeedsANewerDriverNamesBothVersions() {
    assertThat(cuda120)
        .contains(
            missing("conditional", 12000, "cuGraphConditionalHandleCreate", 12030),
            missing("captureInto", 12000, "cuStreamBeginCaptureToGraph", 12030),
            missing("edge", 12000, "cuGraphAddDependencies_v2", 12030));
  }

  @Test
  void aDriverThatTellsParametersHasArgumentsChecked(@TempDir Path services) throws Exception {
    List<String> said = run(services, 12040);
    assertThat(said)
        .contains(
            "driver 12040",
            "tells parameters: true",
            "too few arguments: Kernel fill has 3 parameters; 1 arguments were given.",
            "conditional: done",
            "captureInto: done",
            "edge: done");
    assertThat(said).noneMatch(line -> line.contains("not checked"));
  }

  private static String missing(String what, int driver, String function, int needed) {
    return "%s: %d %d The driver library old driver (CUDA %s) has no %s, which needs a driver for CUDA %s or newer."
        .formatted(what, needed, driver, text(driver), function, text(needed));
  }

  private static String text(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }
}
