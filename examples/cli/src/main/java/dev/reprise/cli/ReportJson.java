package dev.reprise.cli;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A report as one JSON object, for programs. Names stay; a time or rate that was not measured is
 * null.
 */
final class ReportJson {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private ReportJson() {}

  /** One line. */
  static String line(GenerateReport report, GenerateOptions options) {
    GenerateReport.Output output = report.output();
    GenerateReport.Timing timing = report.timing();
    GenerateReport.Graphs graphs = report.graphs();
    ObjectNode json = MAPPER.createObjectNode();
    json.put("model", report.model().name());
    json.put("parameters", report.model().parameters());
    json.put("device", report.device());
    json.put("driver", report.driver());
    json.put("software_device", report.softwareDevice());
    json.put("adapter", options.adapter().map(Object::toString).orElse(null));
    json.put("prompt", options.prompt());
    json.put("text", output.text());
    json.put("prompt_tokens", output.promptTokens());
    ArrayNode tokens = json.putArray("tokens");
    output.tokens().forEach(id -> tokens.add(id.intValue()));
    json.put("finish_reason", output.finish().label());
    json.put("temperature", options.sampling().temperature());
    json.put("top_k", options.sampling().topK());
    json.put("top_p", options.sampling().topP());
    json.put("min_p", options.sampling().minP());
    json.put("repetition_penalty", options.sampling().penalties().repetition());
    json.put("presence_penalty", options.sampling().penalties().presence());
    json.put("frequency_penalty", options.sampling().penalties().frequency());
    json.put("seed", report.seed());
    json.put("eager", options.eager());
    put(json, "ttft_ms", timing.ttftMillis());
    put(json, "prefill_s", timing.prefillSeconds());
    put(json, "decode_s", timing.decodeSeconds());
    put(json, "prefill_tokens_per_s", report.prefillTokensPerSecond());
    put(json, "decode_tokens_per_s", timing.decodeTokensPerSecond());
    json.put("decode_steps", timing.decodeSteps());
    json.put("prefill_steps", graphs.prefillSteps());
    json.put("eager_steps", graphs.eagerSteps());
    json.put("replays", graphs.replays());
    json.put("graphs_captured", graphs.captured());
    put(json, "capture_ms", graphs.captureMillis());
    put(json, "instantiate_ms", graphs.instantiateMillis());
    put(json, "upload_ms", graphs.uploadMillis());
    json.put("graph_bytes", graphs.bytes());
    json.put("kv_bytes", report.kvBytes());
    report
        .variants()
        .ifPresentOrElse(
            v ->
                json.putObject("kernel_variants")
                    .put("shapes", v.shapes())
                    .put("kept", v.kept())
                    .put("measured", v.measured())
                    .put("changed", v.changed())
                    .put("problem", v.problem()),
            () -> json.putNull("kernel_variants"));
    return MAPPER.writeValueAsString(json);
  }

  /** JSON has no NaN. Microseconds are as fine as these times are. */
  private static void put(ObjectNode json, String name, double value) {
    if (Double.isNaN(value)) {
      json.putNull(name);
    } else {
      json.put(name, Math.rint(value * 1e6) / 1e6);
    }
  }
}
