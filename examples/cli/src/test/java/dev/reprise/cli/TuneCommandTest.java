package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.BucketFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TuneCommandTest {

  private static final String SEE = " (see \"reprise tune --help\")";

  @TempDir private Path folder;

  private static CommandRun tune(String... arguments) {
    List<String> all = new ArrayList<>(List.of("tune"));
    all.addAll(Arrays.asList(arguments));
    return CommandRun.withoutEngine(all.toArray(String[]::new));
  }

  private static CommandRun small(String... arguments) {
    List<String> all =
        new ArrayList<>(List.of("--workload", "bursty", "--requests", "120", "--max-rows", "32"));
    all.addAll(Arrays.asList(arguments));
    return tune(all.toArray(String[]::new));
  }

  private static JsonNode json(CommandRun run) {
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out()).hasLineCount(1);
    return JsonMapper.shared().readTree(run.out());
  }

  @Test
  void theTableSetsEachListBesideATunedSetOfAsManyGraphs() {
    CommandRun run = small("--max-graphs", "6");
    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    List<String> lines = run.out().lines().toList();
    assertThat(lines)
        .anyMatch(line -> line.startsWith("workload  synthetic bursty: 120 requests, 20 a second"))
        .anyMatch(line -> line.startsWith("costs     ASSUMED, not measured: "))
        .anyMatch(line -> line.matches("set +graphs +step us +padding +eager +capture ms +bytes"))
        .anyMatch(line -> line.matches("tuned +[1-6] +[0-9.]+ .*MiB"));
    for (String list : List.of("vLLM", "SGLang", "TensorRT-LLM", "powers of two")) {
      int at = lines.indexOf(lines.stream().filter(l -> l.startsWith(list)).findFirst().orElse(""));
      assertThat(at).as(list).isPositive();
      assertThat(lines.get(at + 1)).startsWith("  tuned, as many graphs");
    }
  }

  @Test
  void noListIsBetterThanTheTunedSetOfAsManyGraphs() {
    JsonNode json = json(small("--json"));
    assertThat(json.get("comparisons")).hasSize(4);
    for (JsonNode comparison : json.get("comparisons")) {
      JsonNode ours = comparison.get("ours");
      JsonNode theirs = comparison.get("theirs");
      String name = comparison.get("name").stringValue();
      assertThat(ours.get("mean_step_us").doubleValue())
          .as(name)
          .isPositive()
          .isLessThanOrEqualTo(theirs.get("mean_step_us").doubleValue());
      assertThat(ours.get("graphs").intValue())
          .as(name)
          .isLessThanOrEqualTo(theirs.get("graphs").intValue());
    }
    assertThat(json.get("costs").get("measured").booleanValue()).isFalse();
    assertThat(json.get("workload").get("max_rows").intValue()).isBetween(2, 32);
    assertThat(json.get("limits").get("bytes").isNull()).isTrue();
    assertThat(json.get("curve").size()).isGreaterThan(5);
  }

  @Test
  void theFileHoldsTheSetWithItsEvidence() {
    Path file = folder.resolve("buckets.json");
    JsonNode json = json(small("--json", "--max-graphs", "5", "--out", file.toString()));
    BucketFile written = BucketFile.read(file);
    assertThat(written.buckets().largestFirst())
        .hasSize(json.get("tuned").get("graphs").intValue());
    assertThat(written.evidence())
        .hasValueSatisfying(evidence -> {
          assertThat(evidence.tool()).startsWith("reprise tune ");
          assertThat(evidence.workload().steps())
              .isEqualTo(json.get("workload").get("steps").longValue());
          assertThat(evidence.limits().graphs()).isEqualTo(5);
          assertThat(evidence.costs().measured()).isFalse();
          assertThat(evidence.expected().meanStepMicros())
              .isEqualTo(json.get("tuned").get("mean_step_us").doubleValue());
        });
  }

  @Test
  void aLimitOnBytesHolds() {
    JsonNode json = json(small("--json", "--max-bytes", "4MiB"));
    assertThat(json.get("limits").get("bytes").longValue()).isEqualTo(4 << 20);
    assertThat(json.get("tuned").get("bytes").longValue()).isBetween(1L, 4L << 20);
  }

  @Test
  void bucketsGetTheSplitsWithWhichTheirCostsWereMeasured() throws IOException {
    Path trace = folder.resolve("steps.jsonl");
    Files.writeString(trace, "{\"rows\":1,\"positions\":1000,\"steps\":10}\n");
    Path costs = folder.resolve("costs.json");
    Files.writeString(
        costs,
        """
        {"format": "reprise-costs", "version": 1, "device": "X1", "driver": "d",
         "software_device": true, "model": "M1", "method": "medians", "measured": true,
         "samples": [
           {"rows": 1, "context": 2048, "replay_us": 10, "eager_us": 30, "capture_ms": 1, "bytes": 100,
            "splits": 8}
         ]}
        """);
    Path out = folder.resolve("buckets.json");
    CommandRun run =
        tune("--trace", trace.toString(), "--costs", costs.toString(), "--out", out.toString());
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(BucketFile.read(out).buckets().largestFirst())
        .as("a thousand positions have four segments")
        .isNotEmpty()
        .allSatisfy(bucket -> assertThat(bucket.splits()).isEqualTo(4));
    CommandRun assumed = tune("--trace", trace.toString(), "--out", out.toString());
    assertThat(assumed.code()).as(assumed.err()).isZero();
    assertThat(Files.readString(out)).as("the model decides").doesNotContain("splits");
  }

  @Test
  void recordedStepsAndMeasuredCostsAreTakenAsTheyAre() throws IOException {
    Path trace = folder.resolve("steps.jsonl");
    Files.writeString(
        trace,
        "{\"rows\":3,\"positions\":40,\"steps\":10}\n{\"rows\":4,\"positions\":64,\"steps\":5}\n");
    Path costs = folder.resolve("costs.json");
    Files.writeString(
        costs,
        """
        {"format": "reprise-costs", "version": 1, "device": "X1", "driver": "d",
         "software_device": true, "model": "M1", "method": "medians", "measured": true,
         "samples": [
           {"rows": 1, "context": 64, "replay_us": 10, "eager_us": 30, "capture_ms": 1, "bytes": 100},
           {"rows": 4, "context": 64, "replay_us": 40, "eager_us": 60, "capture_ms": 1, "bytes": 100}
         ]}
        """);
    String[] arguments = {"--trace", trace.toString(), "--costs", costs.toString()};
    CommandRun text = tune(arguments);
    assertThat(text.out())
        .contains("costs     measured: " + costs + ": medians, M1 on X1")
        .contains("measured on a software GPU: they say nothing about a GPU")
        .contains("15 steps, up to 4 rows and 64 positions");
    List<String> more = new ArrayList<>(Arrays.asList(arguments));
    more.addAll(List.of("--json", "--max-graphs", "1", "--explain", "3x40"));
    JsonNode json = json(tune(more.toArray(String[]::new)));
    // One graph of 4 rows at 40 us each; with one of 3 rows, 10 of 15 steps take 30 us.
    assertThat(json.get("tuned").get("mean_step_us").doubleValue()).isEqualTo(40);
    JsonNode explain = json.get("explain");
    assertThat(explain.get("state").stringValue()).isEqualTo("out");
    assertThat(explain.get("steps").longValue()).isEqualTo(10);
    assertThat(explain.get("without_us").doubleValue()).isEqualTo(600);
    assertThat(explain.get("with_us").doubleValue()).isEqualTo(500);
    assertThat(explain.get("break_even_steps").longValue()).isEqualTo(100);
    assertThat(explain.get("elsewhere").get(0).get("bucket").get("rows").intValue()).isEqualTo(4);
  }

  @Test
  void aBucketThatIsInIsExplainedByWhatItsStepsWouldCostWithoutIt() throws IOException {
    Path trace = folder.resolve("steps.jsonl");
    Files.writeString(trace, "{\"rows\":2,\"positions\":32,\"steps\":1000}\n");
    CommandRun run =
        tune(
            "--trace",
            trace.toString(),
            "--costs",
            "assume:h200:tiny-stories",
            "--explain",
            "2x32");
    assertThat(run.out())
        .contains("bucket 2x32 is in: it is replayed")
        .contains("it takes 1,000 of 1,000; 0.0% of its rows are padding")
        .contains("without it its steps run eagerly (1,000)")
        .contains("of its steps");
    CommandRun absent =
        tune(
            "--trace",
            trace.toString(),
            "--costs",
            "assume:h200:tiny-stories",
            "--explain",
            "1x16");
    assertThat(absent.out()).contains("bucket 1x16 is out: no step of the workload would use it");
  }

  @Test
  void requestsThatDoNotFitTheContextAreCounted() throws IOException {
    Path trace = folder.resolve("requests.jsonl");
    Files.writeString(
        trace,
        "{\"at_ms\":0,\"prompt\":10,\"output\":5}\n{\"at_ms\":0,\"prompt\":10,\"output\":500}\n");
    CommandRun run = tune("--trace", trace.toString(), "--max-context", "64");
    assertThat(run.out()).contains("1 requests wanted more than 64 positions and ended there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plot.png", "plot.svg", "PLOT.SVG"})
  void thePlotIsAPicture(String name) throws IOException {
    Path plot = folder.resolve(name);
    assertThat(small("--plot", plot.toString()).code()).isZero();
    if (name.endsWith("png")) {
      assertThat(ImageIO.read(plot.toFile()).getWidth()).isEqualTo(900);
    } else {
      assertThat(Files.readString(plot)).contains("<svg").contains("</svg>");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--requests 5 | give --trace FILE or --workload KIND, such as --workload bursty",
        "--workload steady --trace x | --trace and --workload exclude each other; keep one",
        "--workload burst | --workload must be steady, bursty, long-tail, ramp; it is \"burst\", did"
            + " you mean bursty?",
        "--trace none.jsonl | --trace none.jsonl: there is no such file",
        "--workload ramp --costs none.json | --costs none.json: there is no such file",
        "--workload ramp --costs assume:h200 | --costs assume: needs a device and a model, as in"
            + " assume:h200:llama-3.1-8b; it is \"assume:h200\"",
        "--workload ramp --costs assume:h300:x | --costs assume:h300:x: unknown device \"h300\";"
            + " known are h200, h100, a100, rtx4090, l4, t4",
        "--workload ramp --max-graphs 0 | --max-graphs must be 1 to 1024, such as 24; it is 0",
        "--workload ramp --max-bytes 5XB | --max-bytes: '5XB' is not a size such as 49152, 48KiB or"
            + " 2GiB",
        "--workload ramp --rate 0 | --rate must be above 0 and at most 1e9 requests a second, such as"
            + " 50; it is 0.0",
        "--workload ramp --rate fast | Invalid value for option '--rate': 'fast' is not a number such"
            + " as 0.7",
        "--workload ramp --requests 0 | --requests must be 1 to 10000000; it is 0",
        "--workload ramp --max-context 1 | --max-context must be 2 or more, such as 8192; it is 1",
        "--workload ramp --capture-weight NaN | --capture-weight must be 0 or more, such as 1; it is"
            + " NaN",
        "--workload ramp --explain 8 | --explain must be rows x context, such as 8x1024; it is \"8\"",
        "--workload ramp --explain 0x8 | --explain must be rows x context, such as 8x1024; it is"
            + " \"0x8\"",
        "--workload ramp --plot a.gif | --plot must end in .svg or .png; it is a.gif",
        "--workload ramp --out no/such/f.json | --out no/such/f.json: there is no such folder",
      })
  void badUsageIsOneLineThatNamesTheFlagAndTheRemedy(String arguments, String message) {
    CommandRun run = tune(arguments.split(" "));
    assertThat(run.err()).isEqualTo("reprise tune: " + message + SEE + System.lineSeparator());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aBadLineOfATraceFailsTheRunWithItsNumber() throws IOException {
    Path trace = folder.resolve("bad.jsonl");
    Files.writeString(
        trace, "{\"at_ms\":0,\"prompt\":1,\"output\":1}\n{\"at_ms\":0,\"prompt\":1}\n");
    CommandRun run = tune("--trace", trace.toString());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "reprise tune: "
                + trace
                + ":2: the field \"output\" is missing (--verbose shows where)"
                + System.lineSeparator());
  }

  @Test
  void stepsLargerThanTheLimitAreRefused() throws IOException {
    Path trace = folder.resolve("steps.jsonl");
    Files.writeString(trace, "{\"rows\":9,\"positions\":40}\n");
    CommandRun run = tune("--trace", trace.toString(), "--max-rows", "8");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .startsWith(
            "reprise tune: the trace has a step of 9 rows; --max-rows must be at least that, and is"
                + " 8");
  }
}
