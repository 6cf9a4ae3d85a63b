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

class BenchGraphCommandTest {

  @TempDir private Path folder;

  @Test
  void aRunOnTheSoftwareGpuGivesEveryBucketAndChainInEveryFormat() throws IOException {
    Path base = folder.resolve("graphs");
    Path plot = folder.resolve("launches.svg");
    CommandRun run =
        CommandRun.withoutEngine(
            "bench",
            "graph",
            "--rows",
            "1-2",
            "--contexts",
            "16",
            "--nodes",
            "1,4,8",
            "--rounds",
            "1",
            "--format",
            "json,md,csv",
            "--out",
            base.toString(),
            "--plot",
            plot.toString(),
            "--kernels",
            folder.resolve("variants").toString());
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "The report is in " + base + ".json.",
            "The report is in " + base + ".md.",
            "The report is in " + base + ".csv.");
    JsonNode json = JsonMapper.shared().readTree(Files.readString(Path.of(base + ".json")));
    assertThat(json.get("schema").asString()).isEqualTo("reprise-bench-graph/1");
    assertThat(json.get("software_device").asBoolean()).isTrue();
    assertThat(json.get("jdk").asString()).contains(Runtime.version().toString());
    assertThat(json.has("load_before") && json.has("load_after")).isTrue();
    assertThat(json.at("/tables/graphs"))
        .hasSize(2)
        .allSatisfy(row -> {
          assertThat(row.get("nodes").asInt()).isPositive();
          assertThat(row.get("splits").asInt()).isEqualTo(1);
          assertThat(row.get("capture_us").asDouble()).isPositive();
          assertThat(row.get("instantiate_us").asDouble()).isPositive();
          assertThat(row.get("first_replay_us").asDouble()).isPositive();
          assertThat(row.has("break_even_tokens")).isTrue();
        });
    assertThat(json.at("/tables/steps"))
        .hasSize(4)
        .allSatisfy(row -> {
          assertThat(row.get("steps").asInt()).isEqualTo(6);
          assertThat(row.get("median_us").asDouble())
              .isBetween(row.get("low_us").asDouble(), row.get("high_us").asDouble());
          assertThat(row.get("p99_us").asDouble())
              .isGreaterThanOrEqualTo(row.get("p90_us").asDouble());
        });
    // On a slow machine time may be up before all shapes are measured, but not before the first.
    assertThat(json.at("/tables/variants").size()).isGreaterThan(6);
    JsonNode variant = json.at("/tables/variants/0");
    assertThat(variant.get("source").asString()).isEqualTo("measured");
    assertThat(variant.get("us").asDouble())
        .isPositive()
        .isLessThanOrEqualTo(variant.get("standard_us").asDouble());
    assertThat(json.at("/tables/chains")).hasSize(3);
    assertThat(json.at("/tables/lines")).hasSize(4);
    assertThat(json.at("/tables/gc").size()).isPositive();
    assertThat(Files.readString(Path.of(base + ".md")))
        .startsWith("# bench graph: ")
        .contains("- NO GPU TIMES: ", "| rows | context | mode | steps | median, µs |");
    assertThat(Files.readString(Path.of(base + ".csv")))
        .contains("# NO GPU TIMES: ", "# table steps\nrows,context,mode,steps,median_us,");
    assertThat(Files.readString(plot)).contains("<svg").contains("</svg>");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rows 0 | --rows must be numbers such as 16,64 or 1-4 or 16-64+16 or 1-8*2; in \"0\" numbers"
            + " go from 1 to 1024",
        "--contexts 3 | --contexts must be numbers such as 16,64 or 1-4 or 16-64+16 or 1-8*2; in"
            + " \"3\" numbers go from 4 to 1048576",
        "--nodes 1,2 | --nodes needs three numbers or more for a line, such as 1,50,200; it has 2",
        "--rounds 0 | --rounds must be 1 to 10000; it is 0",
        "--rounds x | Invalid value for option '--rounds': 'x' is not a whole number up to 2147483647",
        "--format yaml | --format must be md, csv or json, or a list of them such as md,json; it is"
            + " \"yaml\"",
        "--plot a.gif | --plot must end in .svg or .png; it is a.gif",
        "--out no/such/base | --out no/such/base.md: there is no such folder",
        "--model none.gguf | --model none.gguf: there is no such file",
        "--driver cud | --driver must be auto, cuda, software or the path of a library; it is \"cud\","
            + " did you mean cuda?",
      })
  void badUsageIsOneLineThatNamesTheFlagAndTheRemedy(String arguments, String message) {
    CommandRun run = CommandRun.withoutEngine(("bench graph " + arguments).split(" "));
    assertThat(run.err())
        .isEqualTo(
            "reprise bench graph: "
                + message
                + " (see \"reprise bench graph --help\")"
                + System.lineSeparator());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aContextThatTheModelDoesNotHaveFailsTheRunInOneLine() {
    CommandRun run = CommandRun.withoutEngine("bench", "graph", "--contexts", "100000");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err().lines().toList().getLast())
        .startsWith(
            "reprise bench graph: bucket 1x100000 cannot be measured: contexts of Tiny Stories go"
                + " from 4 to ");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void withoutABenchmarkTheHelpListsThem() {
    CommandRun run = CommandRun.withoutEngine("bench");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("Usage: reprise bench").contains("graph").contains("decode");
  }
}
