package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ModelCommandTest {

  private static CommandRun model(String arguments) {
    return CommandRun.withoutEngine(("model " + arguments).strip().split("\\s+"));
  }

  private static JsonNode json(String arguments) {
    CommandRun run = model(arguments + " --json");
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out()).hasLineCount(1);
    JsonNode json = JsonMapper.shared().readTree(run.out());
    assertThat(json.get("measured").booleanValue()).isFalse();
    return json;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--m 64 --n 64 --k 32 --dtype f16 --stages 2 --smem 49152"})
  void theWorkedExampleOfTheTileLedger(String arguments) {
    JsonNode json = json(arguments);
    assertThat(json.get("model").stringValue()).isEqualTo("tile");
    assertThat(json.get("shared_bytes").longValue()).isEqualTo(16_384);
    assertThat(json.get("flops").longValue()).isEqualTo(262_144);
    assertThat(json.get("hbm_bytes").longValue()).isEqualTo(8192);
    assertThat(json.get("intensity").doubleValue()).isEqualTo(32);
    assertThat(json.get("fits").booleanValue()).isTrue();
    assertThat(model(arguments).out())
        .startsWith(
            "prediction, not measured: tile 64 x 64 x 32, f16 elements of 2 bytes, 2 stages")
        .containsPattern("shared memory +16,384 \\(16.0 KiB\\)")
        .containsPattern("flops of a stage +262,144")
        .containsPattern("flops a byte +32.00")
        .containsPattern("fits +yes");
  }

  @Test
  void aTileThatDoesNotFitSaysSo() {
    JsonNode json = json("--stages 7");
    assertThat(json.get("fits").booleanValue()).isFalse();
    assertThat(json.get("most_stages").longValue()).isEqualTo(6);
  }

  @Test
  void occupancyTakesBlocksFromContractsAndRegistersFromPtxas() {
    JsonNode rows = json("occupancy --device h200 --model llama-3.1-8b --rows 4").get("rows");
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode row : rows) {
      assertThat(row.get("kernel").stringValue()).doesNotContain("f32", "attention_32");
      if (row.get("kernel").stringValue().equals("matmul_f16_wide")) {
        found.add(row);
      }
    }
    assertThat(found).hasSize(1);
    JsonNode wide = found.getFirst();
    // 96 registers on sm_90: 20 warps of 64; 28,672 outputs, 64 a block.
    assertThat(wide.get("architecture").stringValue()).isEqualTo("sm_90");
    assertThat(wide.get("registers").intValue()).isEqualTo(96);
    assertThat(wide.get("blocks_per_sm").intValue()).isEqualTo(5);
    assertThat(wide.get("occupancy_percent").doubleValue()).isEqualTo(31.25);
    assertThat(wide.get("limited_by").stringValue()).isEqualTo("registers");
    assertThat(wide.get("grid_blocks").longValue()).isEqualTo(448);
    assertThat(wide.get("waves").doubleValue()).isCloseTo(448.0 / (5 * 132), within(1e-9));
  }

  @Test
  void occupancyOfEveryDeviceNamesWhatPtxasWasAskedFor() {
    CommandRun run = model("occupancy");
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("RTX 4090", "sm_80", "H200 SXM", "sm_90", "T4", "sm_75");
  }

  @Test
  void theRooflineOfAStepIsBoundByBytesThenByFlops() {
    JsonNode json = json("roofline --rows 1,1024 --context 1");
    assertThat(json.get("ridge").doubleValue()).isCloseTo(989e12 / 4.8e12, within(1e-9));
    assertThat(json.get("rows").get(0).get("bound").stringValue()).isEqualTo("bytes");
    assertThat(json.get("rows").get(1).get("bound").stringValue()).isEqualTo("flops");
  }

  @Test
  void launchesAreSetAgainstOneGraph() {
    JsonNode json =
        json(
            "launch --kernels 100 --kernel-us 50 --launch-us 3 --gap-us 1 --graph-us 10 --node-us 0.5");
    assertThat(json.get("eager_us").doubleValue()).isEqualTo(300);
    assertThat(json.get("replay_us").doubleValue()).isEqualTo(110);
    assertThat(json.get("launch_bound").booleanValue()).isTrue();
    assertThat(json.get("break_even_kernels").intValue()).isEqualTo(5);
    assertThat(json("launch --graph-us 99 --node-us 9").get("break_even_kernels").isNull())
        .isTrue();
    assertThat(model("launch --graph-us 99 --node-us 9").out())
        .containsPattern("pays from K = +never");
    assertThat(json("launch").get("kernels").intValue()).isEqualTo(293);
  }

  @Test
  void fusionSavesBytesAndLaunches() {
    JsonNode json = json("fusion --kernels 3 --elements 1000000 --device a100 --launch-us 2");
    assertThat(json.get("saved_bytes").longValue()).isEqualTo(16_000_000);
    assertThat(json.get("saved_us").doubleValue())
        .isCloseTo(16e6 / 2.039e12 * 1e6 + 4, within(1e-9));
  }

  @Test
  void amdahlBoundsEachPartAndAllTogether() {
    JsonNode json = json("amdahl --part matmul=600 --part launch=400 --faster launch=2");
    assertThat(json.get("total_us").doubleValue()).isEqualTo(1000);
    assertThat(json.get("speedup").doubleValue()).isEqualTo(1.25);
    assertThat(json.get("rows").get(0).get("bound").doubleValue()).isEqualTo(2.5);
    JsonNode alone = json("amdahl --part all=5");
    assertThat(alone.get("rows").get(0).get("bound").isNull()).isTrue();
    assertThat(model("amdahl --part all=5").out()).contains("no bound");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--dtype f61 | reprise model: --dtype must be f64, f32, f16, bf16, f8, i8; it is \"f61\", did"
            + " you mean f64? (see \"reprise model --help\")",
        "--m 0 | reprise model: the m must be 1 to 65536: 0 (see \"reprise model --help\")",
        "--smem lots | reprise model: --smem: 'lots' is not a size such as 49152, 48KiB or 2GiB (see"
            + " \"reprise model --help\")",
        "occupancy --device h20 | reprise model occupancy: unknown device \"h20\"; known are h200,"
            + " h100, a100, rtx4090, l4, t4 (see \"reprise model occupancy --help\")",
        "roofline --rows 1,0 | reprise model roofline: --rows must be 1 or more; it is 0 (see"
            + " \"reprise model roofline --help\")",
        "launch --launch-us -1 | reprise model launch: the costs of launches must be finite and not"
            + " negative: -1.0 (see \"reprise model launch --help\")",
        "fusion --kernels 2 | reprise model fusion: Missing required option: '--elements=N' (see"
            + " \"reprise model fusion --help\")",
        "amdahl --part a=1 --faster b=2 | reprise model amdahl: there is no part \"b\"; the parts are"
            + " a (see \"reprise model amdahl --help\")",
        "amdahl --part a=x | reprise model amdahl: Invalid value for option '--part' (NAME=US): 'x'"
            + " is not a number such as 0.7 (see \"reprise model amdahl --help\")",
        "rooflin | reprise model: unknown command \"rooflin\"; did you mean roofline? (see \"reprise"
            + " model --help\")",
      })
  void badUsageIsOneLineThatNamesWhatIsWrong(String arguments, String message) {
    CommandRun run = model(arguments);
    assertThat(run.err()).isEqualTo(message + System.lineSeparator());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void everySubcommandHasHelp() {
    for (String part : new String[] {"", "occupancy", "roofline", "launch", "fusion", "amdahl"}) {
      CommandRun run = model((part + " --help").strip());
      assertThat(run.code()).as(part).isZero();
      assertThat(run.out()).as(part).contains("Usage: reprise model").contains("--json");
    }
  }
}
