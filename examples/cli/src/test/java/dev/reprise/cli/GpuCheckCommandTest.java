package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class GpuCheckCommandTest {

  @TempDir private Path folder;

  @Test
  void allSectionsPassOnTheSoftwareGpuAndTheReportHoldsTheirNumbers() throws IOException {
    Path output = folder.resolve("made by the command");
    CommandRun run =
        CommandRun.withoutEngine(
            "gpu-check", "--quick", "--seconds", "1", "--output", output.toString());
    assertThat(run.code()).as("%s", run.out()).isZero();
    assertThat(run.out()).contains("All checks passed.");
    assertThat(run.err().lines()).hasSize(8).allMatch(line -> line.startsWith("gpu-check: "));
    JsonNode json =
        JsonMapper.shared().readTree(Files.readString(output.resolve("gpu-check.json")));
    assertThat(json.at("/software_device").asBoolean()).isTrue();
    assertThat(json.at("/sections").valueStream().map(section -> section.get("key").asString()))
        .containsExactly(
            "device", "kernels", "golden", "sampled", "graphs", "launches", "decode", "copies");
    assertThat(json.at("/sections/2/tables/cases")).hasSize(14);
    assertThat(json.at("/sections/4/tables/buckets"))
        .hasSize(4)
        .allSatisfy(bucket -> {
          assertThat(bucket.get("nodes").asInt()).isPositive();
          assertThat(bucket.get("replay_median_us").asDouble()).isPositive();
          assertThat(bucket.get("first_replay_us").asDouble()).isPositive();
        });
    assertThat(json.at("/sections/5/tables/lines")).hasSize(4);
    assertThat(json.at("/sections/6/facts/speedup_median").asDouble()).isPositive();
    assertThat(json.at("/sections/7/tables/copies")).hasSize(9);
    assertThat(Files.readString(output.resolve("gpu-check.md"))).contains("## Copy bandwidth");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seconds 0 | --seconds must be 1 or more: it is 0",
        "--seconds ten | Invalid value for option '--seconds': 'ten' is not a whole number up"
            + " to 2147483647",
        "--driver sofware | --driver must be auto, cuda, software or the path of a library; it is"
            + " \"sofware\", did you mean software?",
        "--output pom.xml | --output pom.xml: this is not a folder",
        "--quik | unknown option --quik; did you mean --quick?"
      })
  void badUsageIsOneLine(String arguments, String message) {
    CommandRun run = CommandRun.withoutEngine(("gpu-check " + arguments).split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "reprise gpu-check: "
                + message
                + " (see \"reprise gpu-check --help\")"
                + System.lineSeparator());
    assertThat(run.out()).isEmpty();
  }
}
