package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor says where something is wrong with the process itself. */
class DoctorProcessTest {

  @TempDir private Path folder;

  private CommandRun run(List<String> jvm, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    CommandRun run = ForkedDoctor.run(folder, jvm, environment, arguments);
    assertThat(run.out() + run.err()).doesNotContain("Exception", "\tat ");
    return run;
  }

  @Test
  void theVariableChoosesTheDriver() throws IOException, InterruptedException {
    CommandRun run = run(List.of(ForkedDoctor.NATIVE_ACCESS), Map.of("REPRISE_DRIVER", "software"));
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().lines())
        .contains("  choice        software, from the variable REPRISE_DRIVER")
        .contains("  taken         software GPU");
  }

  @Test
  void withoutTheFlagItRunsAndTheFlagIsTheFix() throws IOException, InterruptedException {
    CommandRun run = run(List.of(), Map.of(), "--driver", "software");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().lines())
        .contains("  fix: start Java with --enable-native-access=ALL-UNNAMED");
  }

  @Test
  void whereNativeAccessIsRefusedTheFlagIsTheFix() throws IOException, InterruptedException {
    CommandRun run = run(List.of("--illegal-native-access=deny"), Map.of(), "--driver", "software");
    assertThat(run.code()).as(run.err()).isEqualTo(1);
    assertThat(run.out().lines())
        .anyMatch(line -> line.startsWith("error: native access is not enabled for ALL-UNNAMED"))
        .contains("  fix: start Java with --enable-native-access=ALL-UNNAMED");
  }

  @Test
  void aSettingThatMakesNoDeviceIsNamed() throws IOException, InterruptedException {
    CommandRun run =
        run(
            List.of(ForkedDoctor.NATIVE_ACCESS),
            Map.of("REPRISE_SOFTGPU_WORKERS", "0"),
            "--driver",
            "software");
    assertThat(run.code()).as(run.err()).isEqualTo(1);
    assertThat(run.out().lines())
        .contains(
            "error: the software GPU does not start: REPRISE_SOFTGPU_WORKERS must be positive, not 0;"
                + " correct this setting or remove it");
  }

  @Test
  void aPathInTheVariableThatIsNoLibraryIsExplained() throws IOException, InterruptedException {
    CommandRun run =
        run(
            List.of(ForkedDoctor.NATIVE_ACCESS),
            Map.of("REPRISE_DRIVER", folder.resolve("none.so").toString()));
    assertThat(run.code()).as(run.err()).isEqualTo(1);
    assertThat(run.out().lines())
        .anyMatch(line ->
            line.startsWith("error: " + folder.resolve("none.so") + " cannot be loaded: ")
                && line.contains("No such file"));
  }

  @Test
  void aDamagedLibraryIsExplainedInTheWordsOfTheLoader(@TempDir Path elsewhere)
      throws IOException, InterruptedException {
    Path library = Files.writeString(elsewhere.resolve("libcuda.so.1"), "damaged");
    CommandRun run =
        run(List.of(ForkedDoctor.NATIVE_ACCESS), Map.of(), "--driver", library.toString());
    assertThat(run.code()).as(run.err()).isEqualTo(1);
    assertThat(run.out().lines())
        .contains("error: " + library + " cannot be loaded: file too short");
  }
}
