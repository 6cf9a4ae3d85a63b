package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BenchDecodeCommandTest {

  private static CommandRun decode(String arguments) {
    return CommandRun.withoutEngine(("bench decode " + arguments).strip().split(" "));
  }

  @Test
  void everyPairingIsMeasuredInEveryArm() {
    CommandRun run = decode("-p 2,5 -n 1,4 --rows 1-2*2 -r 2 --format json");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).hasLineCount(1);
    JsonNode json = JsonMapper.shared().readTree(run.out());
    assertThat(json.get("schema").asString()).isEqualTo("reprise-bench-decode/1");
    assertThat(json.get("software_device").asBoolean()).isTrue();
    List<JsonNode> rows = json.at("/tables/decode").valueStream().toList();
    assertThat(rows).hasSize(2 * 2 * 2 * 3);
    assertThat(rows.stream().map(row -> row.get("mode").asString()).limit(3))
        .containsExactly("eager", "replayed", "pipelined");
    for (JsonNode row : rows) {
      assertThat(row.get("repetitions").asInt()).isEqualTo(2);
      assertThat(row.get("output_tokens_per_s").asDouble()).isPositive();
      assertThat(row.get("ttft_p50_us").asDouble()).isPositive();
      boolean gaps = row.get("output_tokens").asInt() > 1;
      assertThat(row.get("itl_p99_us").isNull()).isEqualTo(!gaps);
      assertThat(row.get("decode_tokens_per_s").isNull()).isEqualTo(!gaps);
      boolean eager = row.get("mode").asString().equals("eager");
      assertThat(row.get(eager ? "replayed_steps" : "eager_steps").asLong()).isZero();
      // With the one to warm up there are three repetitions, of three decode steps at least.
      assertThat(row.get(eager ? "eager_steps" : "replayed_steps").asLong())
          .isGreaterThanOrEqualTo(gaps ? 9 : 0);
    }
  }

  @Test
  void severalFormatsFollowOneAnother() {
    CommandRun run = decode("-p 2 -n 2 --rows 1 -r 1 --arms replayed --format csv,md");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .startsWith("# bench decode\n# NO GPU TIMES")
        .contains("# table decode\nrows,prompt_tokens,output_tokens,mode,repetitions,")
        .contains("# bench decode: ", "| rows | prompt | output | mode | r | output tokens/s |");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-p 0 | --prompt must be numbers such as 16,64 or 1-4 or 16-64+16 or 1-8*2; in \"0\" numbers"
            + " go from 1 to 1048576",
        "-n x | --output must be numbers such as 16,64 or 1-4 or 16-64+16 or 1-8*2; in \"x\" \"x\" is"
            + " no number and no range",
        "-r 0 | --repetitions must be 1 to 10000; it is 0",
        "--arms fast | --arms must be a list of eager, replayed, pipelined; it is \"fast\"",
        "--format md,xml | --format must be md, csv or json, or a list of them such as md,json; it is"
            + " \"md,xml\"",
      })
  void badUsageIsOneLineThatNamesTheFlagAndTheRemedy(String arguments, String message) {
    CommandRun run = decode(arguments);
    assertThat(run.err())
        .isEqualTo(
            "reprise bench decode: "
                + message
                + " (see \"reprise bench decode --help\")"
                + System.lineSeparator());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void whatDoesNotFitTheContextFailsTheRunInOneLine() {
    CommandRun run = decode("-p 5 -n 100000");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err().lines().toList().getLast())
        .startsWith(
            "reprise bench decode: -p 5 with -n 100000 needs 100004 positions; Tiny Stories has ");
    assertThat(run.out()).isEmpty();
  }
}
