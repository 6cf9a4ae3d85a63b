package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.tune.CostTable.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Traces and cost tables in files. */
class TuneFilesTest {

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("trace.jsonl"), text);
  }

  @Test
  void requestsAreRead() throws IOException {
    TraceFile trace =
        TraceFile.read(
            file(
                "{\"at_ms\": 0, \"prompt\": 5, \"output\": 7}\n\n"
                    + "{\"at_ms\":12.5,\"prompt\":1,\"output\":2}\r\n"));
    assertThat(trace)
        .isEqualTo(new TraceFile.Requests(List.of(new Arrival(0, 5, 7), new Arrival(12.5, 1, 2))));
  }

  @Test
  void stepsAreRead() throws IOException {
    TraceFile trace =
        TraceFile.read(
            file(
                "{\"rows\":4,\"positions\":9,\"steps\":3}\n{\"rows\":4,\"positions\":9}\n"
                    + "{\"rows\":1,\"positions\":2,\"steps\":1}"));
    assertThat(trace).isInstanceOf(TraceFile.Steps.class);
    assertThat(((TraceFile.Steps) trace).histogram().entries())
        .containsExactly(new StepHistogram.Entry(1, 2, 1), new StepHistogram.Entry(4, 9, 4));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"at_ms\":1,\"prompt\":0,\"output\":2} | :3: prompt is 0; it must be a whole number of at"
            + " least 1",
        "{\"at_ms\":-1,\"prompt\":1,\"output\":2} | :3: at_ms is -1; it must be a number of at least"
            + " 0",
        "{\"at_ms\":1,\"prompt\":1} | :3: the field \"output\" is missing",
        "{\"at_ms\":1,\"promt\":1,\"output\":2} | :3: unknown field promt; the fields here are"
            + " at_ms, prompt, output",
        "{\"rows\":1,\"positions\":1} | :3: requests and steps are mixed",
        "{\"at_ms\":1, | :3: this is not JSON",
        "17 | :3: the document is 17; it must be an object",
        "{} {} | :3: something follows the JSON value",
        "{\"at_ms\":1,\"prompt\":3000000000,\"output\":2} | :3: prompt is 3000000000",
      })
  void aBadLineIsNamedWithItsNumber(String line, String message) throws IOException {
    Path file = file("{\"at_ms\":0,\"prompt\":1,\"output\":2}\n\n" + line + "\n");
    assertThatThrownBy(() -> TraceFile.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file + message);
  }

  @Test
  void aTraceWithoutLinesOrFileIsRefused() throws IOException {
    Path empty = file("\n \n");
    assertThatThrownBy(() -> TraceFile.read(empty))
        .hasMessageContaining("it holds no line such as");
    assertThatThrownBy(() -> TraceFile.read(folder)).hasMessageContaining("this is a folder");
    assertThatThrownBy(() -> TraceFile.read(folder.resolve("none")))
        .hasMessageEndingWith("none: there is no such file");
    Path latin = Files.write(folder.resolve("latin"), new byte[] {'{', (byte) 0xff});
    assertThatThrownBy(() -> TraceFile.read(latin)).hasMessageContaining("latin:1: this line");
  }

  @Test
  void aCostFileReadsBackWhole() {
    CostFile costs =
        new CostFile(
            "a device",
            "a driver",
            true,
            "a model",
            "medians of 5 rounds",
            true,
            new CostTable(
                List.of(
                    new Sample(1, 64, 10.5, 2.5, 20.25, 1.5, 100),
                    new Sample(2, 64, 12, 0, 22, 2, 200, 1))));
    Path file = folder.resolve("costs.json");
    costs.write(file);
    CostFile read = CostFile.read(file);
    assertThat(read.json()).isEqualTo(costs.json());
    assertThat(read.table().samples()).isEqualTo(costs.table().samples());
    assertThat(read.softwareDevice()).isTrue();
    assertThat(read.table().replayMicros(new Bucket(2, 64))).isEqualTo(12);
  }

  @Test
  void splitsThatAContextCannotHaveAreNamedWithLineAndField() {
    CostFile good =
        new CostFile(
            "d",
            "d",
            false,
            "m",
            "m",
            true,
            new CostTable(List.of(new Sample(1, 600, 1, 0, 2, 3, 4, 3))));
    String json = good.json();
    assertThat(CostFile.parse("c.json", json).table().splits(new Bucket(1, 600))).isEqualTo(3);
    assertThatThrownBy(
            () -> CostFile.parse("c.json", json.replace("\"splits\" : 3", "\"splits\" : 4")))
        .hasMessageMatching("c.json:\\d+: samples\\[0\\].splits is 4; it must be .*1 to 3.*");
  }

  @Test
  void aBadCostFileIsNamedWithLineAndField() {
    CostFile good =
        new CostFile(
            "d", "d", false, "m", "m", true, new CostTable(List.of(new Sample(1, 64, 1, 2, 3, 4))));
    String json = good.json();
    assertThatThrownBy(() ->
            CostFile.parse("c.json", json.replace("\"replay_us\" : 1.0", "\"replay_us\" : \"x\"")))
        .hasMessageMatching(
            "c.json:\\d+: samples\\[0\\].replay_us is \"x\"; it must be a number .*");
    assertThatThrownBy(() -> CostFile.parse("c.json", json.replace("reprise-costs", "costs")))
        .hasMessageContaining("format is \"costs\"");
    assertThatThrownBy(() -> CostFile.parse("c.json", json.replaceAll("(?s)\\[.*\\]", "[]")))
        .hasMessageContaining("samples: A cost table needs at least one sample");
  }
}
