package dev.reprise.cli.gpucheck;

import dev.reprise.llama.GoldenValues;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One prompt with its golden continuation.
 *
 * @param prompt the text
 * @param promptIds its tokens
 * @param continuation the greedy tokens after it, a stop token included
 * @param top5 for each step the largest logits
 */
record GoldenCase(String prompt, int[] promptIds, int[] continuation, List<List<Logit>> top5) {

  /**
   * A logit.
   *
   * @param token its token
   * @param value its value
   */
  record Logit(int token, double value) {}

  /** All cases of the embedded model. */
  static List<GoldenCase> all() {
    JsonNode root;
    try (InputStream in = GoldenValues.open()) {
      root = JsonMapper.shared().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the golden values: " + e.getMessage(), e);
    }
    List<GoldenCase> cases = new ArrayList<>();
    root.get("cases").forEach(node -> cases.add(read(node)));
    cases.add(read(root.get("ending")));
    return cases;
  }

  private static GoldenCase read(JsonNode node) {
    List<List<Logit>> steps = new ArrayList<>();
    for (JsonNode step : node.get("top5")) {
      List<Logit> top = new ArrayList<>();
      step.forEach(pair -> top.add(new Logit(pair.get(0).asInt(), pair.get(1).asDouble())));
      steps.add(top);
    }
    return new GoldenCase(
        node.get("prompt").asString(),
        ints(node.get("prompt_ids")),
        ints(node.get("continuation_ids")),
        steps);
  }

  private static int[] ints(JsonNode array) {
    return array.valueStream().mapToInt(JsonNode::asInt).toArray();
  }

  /** The prompt, cut to a line. */
  String label() {
    return prompt.length() <= 40 ? prompt : prompt.substring(0, 40) + "…";
  }
}
