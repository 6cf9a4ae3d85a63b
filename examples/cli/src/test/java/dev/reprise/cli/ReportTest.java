package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {
  private static final GenerateOptions OPTIONS =
      new GenerateOptions(
          Optional.empty(),
          Optional.of(Path.of("pirate.gguf")),
          "Once",
          3,
          new GenerateOptions.Sampling(
              0.5f, 40, 0.75f, 0.25f, 42, new GenerateOptions.Penalties(1.25f, 0.5f, -0.25f)),
          true,
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static JsonNode json(GenerateReport report) {
    return JsonMapper.shared().readTree(ReportJson.line(report, OPTIONS));
  }

  @Test
  void theTableSaysWhatRanAndWhatItTook() {
    assertThat(ReportTable.lines(Reports.story(GenerateReport.Finish.LENGTH)))
        .containsExactly(
            "model     Tiny Stories, 1.12 million parameters",
            "device    Test Device",
            "tokens    6 of the prompt, 3 generated; stopped at the limit",
            "prefill   600 tokens/s; first token after 13 ms",
            "decode    50.0 tokens/s; 20 steps in 400 ms, captures apart",
            "steps     1 prefill, 4 eager, 16 replayed",
            "graphs    2 captured: capture 3.25 ms, instantiate 1.50 ms, upload 12 ms; 1.3 MiB on"
                + " the device",
            "kernels   9 shapes: 4 choices kept, 5 measured; 3 run another than the standard",
            "KV cache  320.0 KiB",
            "seed      42",
            "note      the times are those of a software GPU on this CPU, not of a GPU");
  }

  @Test
  void theTableInventsNoRates() {
    assertThat(ReportTable.lines(Reports.nothingMeasured()))
        .containsExactly(
            "model     Tiny Stories, 999 parameters",
            "device    Test Device",
            "tokens    0 of the prompt, 0 generated; the model ended the text",
            "prefill   no rate; first token after 0.00 ms",
            "decode    no rate; 0 steps in 0.00 ms, captures apart",
            "steps     0 prefill, 0 eager, 0 replayed",
            "graphs    none captured",
            "KV cache  512 bytes",
            "seed      0");
  }

  @Test
  void jsonHasEveryField() {
    JsonNode json = json(Reports.story(GenerateReport.Finish.STOP));
    assertThat(json.propertyNames())
        .containsExactly(
            "model",
            "parameters",
            "device",
            "driver",
            "software_device",
            "adapter",
            "prompt",
            "text",
            "prompt_tokens",
            "tokens",
            "finish_reason",
            "temperature",
            "top_k",
            "top_p",
            "min_p",
            "repetition_penalty",
            "presence_penalty",
            "frequency_penalty",
            "seed",
            "eager",
            "ttft_ms",
            "prefill_s",
            "decode_s",
            "prefill_tokens_per_s",
            "decode_tokens_per_s",
            "decode_steps",
            "prefill_steps",
            "eager_steps",
            "replays",
            "graphs_captured",
            "capture_ms",
            "instantiate_ms",
            "upload_ms",
            "graph_bytes",
            "kv_bytes",
            "kernel_variants");
    assertThat(json.get("parameters").asLong()).isEqualTo(1_115_520);
    assertThat(json.get("software_device").asBoolean()).isTrue();
    assertThat(json.get("tokens").valueStream().map(JsonNode::asInt)).containsExactly(13, 400, 284);
    assertThat(json.get("finish_reason").asString()).isEqualTo("stop");
    assertThat(json.get("top_p").asDouble()).isEqualTo(0.75);
    assertThat(json.get("adapter").asString()).isEqualTo("pirate.gguf");
    assertThat(json.get("repetition_penalty").asDouble()).isEqualTo(1.25);
    assertThat(json.get("presence_penalty").asDouble()).isEqualTo(0.5);
    assertThat(json.get("frequency_penalty").asDouble()).isEqualTo(-0.25);
    assertThat(json.get("seed").asLong()).isEqualTo(42);
    assertThat(json.get("eager").asBoolean()).isTrue();
    assertThat(json.get("ttft_ms").asDouble()).isEqualTo(12.5);
    assertThat(json.get("prefill_tokens_per_s").asDouble()).isCloseTo(600, within(1e-6));
    assertThat(json.get("decode_tokens_per_s").asDouble()).isCloseTo(50, within(1e-6));
    assertThat(json.get("graphs_captured").asInt()).isEqualTo(2);
    assertThat(json.get("capture_ms").asDouble()).isEqualTo(3.25);
    assertThat(json.get("graph_bytes").asLong()).isEqualTo(1_310_720);
    assertThat(json.get("replays").asInt()).isEqualTo(16);
    assertThat(json.get("eager_steps").asInt()).isEqualTo(4);
    assertThat(json.get("kv_bytes").asLong()).isEqualTo(327_680);
    assertThat(json.get("kernel_variants").propertyNames())
        .containsExactly("shapes", "kept", "measured", "changed", "problem");
    assertThat(json.at("/kernel_variants/kept").asInt()).isEqualTo(4);
  }

  @Test
  void jsonHasNullForWhatWasNotMeasured() {
    JsonNode json = json(Reports.nothingMeasured());
    assertThat(json.get("prefill_tokens_per_s").isNull()).isTrue();
    assertThat(json.get("decode_tokens_per_s").isNull()).isTrue();
    assertThat(json.get("tokens").isEmpty()).isTrue();
    assertThat(json.get("kernel_variants").isNull()).isTrue();
  }

  @Test
  void everyEndHasItsWord() {
    for (GenerateReport.Finish finish : GenerateReport.Finish.values()) {
      assertThat(json(Reports.story(finish)).get("finish_reason").asString())
          .isEqualTo(finish.label());
      assertThat(ReportTable.lines(Reports.story(finish)).get(2))
          .startsWith("tokens    6 of the prompt, 3 generated; ");
    }
  }
}
