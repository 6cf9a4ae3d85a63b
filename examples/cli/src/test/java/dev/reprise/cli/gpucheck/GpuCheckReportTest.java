package dev.reprise.cli.gpucheck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.measure.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The report of sections whose results are known. */
class GpuCheckReportTest {

  @TempDir private Path folder;

  private record Fixed(String key, boolean timed, Consumer<SectionLog> body) implements Section {

    @Override
    public String title() {
      return "Section " + key;
    }

    @Override
    public void run(CheckPlan plan, SectionLog log) {
      body.accept(log);
    }
  }

  private static final Section GOOD =
      new Fixed(
          "good",
          true,
          log -> {
            log.fact("speed_us", "speed, µs", 12.5);
            log.headline("it is fast");
            log.check("it holds", true, "");
            Table table =
                log.table(
                    "rows", "Rows", Table.column("name", "name"), Table.column("value_us", "µs"));
            table.add("a|b", Double.POSITIVE_INFINITY);
            table.add("c", 0.25);
          });

  private static final Section BAD =
      new Fixed("bad", false, log -> log.check("it holds", false, "1 is not 2"));

  private static final Section BROKEN =
      new Fixed(
          "broken",
          false,
          log -> {
            log.check("the first part", true, "");
            throw new IllegalStateException("no more");
          });

  private GpuCheck.Outcome run(Section... sections) {
    return GpuCheck.run(folder, new CheckPlan(true, 1), List.of(sections));
  }

  private static JsonNode json(GpuCheck.Outcome outcome) throws IOException {
    return JsonMapper.shared().readTree(Files.readString(outcome.json()));
  }

  @Test
  void aSectionThatBreaksOffIsRecordedAndTheRunGoesOn() throws IOException {
    GpuCheck.Outcome outcome = run(BROKEN, GOOD);
    assertThat(outcome.passed()).isFalse();
    JsonNode json = json(outcome);
    assertThat(json.at("/sections/0/status").asString()).isEqualTo("error");
    assertThat(json.at("/sections/0/error").asString()).isEqualTo("IllegalStateException: no more");
    assertThat(json.at("/sections/0/checks/0/passed").asBoolean()).isTrue();
    assertThat(json.at("/sections/1/status").asString()).isEqualTo("passed");
    assertThat(json.at("/complete").asBoolean()).isTrue();
    assertThat(outcome.summary())
        .contains("          ERROR IllegalStateException: no more", "Not all checks passed.");
  }

  @Test
  void aFailedCheckIsNamedEverywhere() throws IOException {
    GpuCheck.Outcome outcome = run(GOOD, BAD);
    assertThat(outcome.passed()).isFalse();
    assertThat(outcome.summary()).contains("          FAILED it holds: 1 is not 2");
    assertThat(json(outcome).at("/passed").asBoolean()).isFalse();
    assertThat(json(outcome).at("/sections/1/status").asString()).isEqualTo("failed");
    assertThat(Files.readString(outcome.markdown()))
        .contains("**Not all checks passed**", "- FAILED it holds: 1 is not 2");
  }

  @Test
  void timesOfTheSoftwareDeviceAreMarked() throws IOException {
    GpuCheck.Outcome outcome = run(GOOD, new Fixed("untimed", false, log -> {}));
    assertThat(outcome.passed()).isTrue();
    JsonNode json = json(outcome);
    assertThat(json.at("/software_device").asBoolean()).isTrue();
    assertThat(json.at("/sections/0/times_of_software_device").asBoolean()).isTrue();
    assertThat(json.at("/sections/1/times_of_software_device").asBoolean()).isFalse();
    assertThat(outcome.summary())
        .contains(
            "          it is fast (software GPU)",
            "note      times of a software GPU on this CPU, not of a GPU");
    assertThat(Files.readString(outcome.markdown()))
        .contains("Rows (software GPU):", "All times below are times of a software GPU");
  }

  @Test
  void valuesAreNumbersInJsonAndCellsInMarkdown() throws IOException {
    GpuCheck.Outcome outcome = run(GOOD);
    JsonNode section = json(outcome).at("/sections/0");
    assertThat(section.at("/facts/speed_us").asDouble()).isEqualTo(12.5);
    assertThat(section.at("/tables/rows/0/value_us").isNull()).isTrue();
    assertThat(section.at("/tables/rows/1/value_us").asDouble()).isEqualTo(0.25);
    assertThat(json(outcome).at("/schema").asString()).isEqualTo("reprise-gpu-check/1");
    assertThat(json(outcome).at("/doctor/can_run").asBoolean()).isTrue();
    assertThat(Files.readString(outcome.markdown()))
        .contains("| name | µs |", "| a\\|b | Infinity |", "| c | 0.250 |", "- speed, µs: 12.50");
  }

  @Test
  void whatWasFoundIsWrittenAfterEachSection() {
    List<JsonNode> seen = new ArrayList<>();
    Section spy =
        new Fixed(
            "spy",
            false,
            log -> {
              try {
                seen.add(
                    JsonMapper.shared()
                        .readTree(Files.readString(folder.resolve("gpu-check.json"))));
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(run(GOOD, spy).passed()).isTrue();
    assertThat(seen).hasSize(1);
    assertThat(seen.getFirst().at("/sections")).hasSize(1);
    assertThat(seen.getFirst().at("/complete").asBoolean()).isFalse();
    assertThat(seen.getFirst().at("/passed").asBoolean()).isFalse();
  }
}
