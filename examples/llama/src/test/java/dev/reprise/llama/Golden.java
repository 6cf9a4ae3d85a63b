package dev.reprise.llama;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The golden values: greedy continuations and largest logits, computed in float64 elsewhere. */
final class Golden {

  /** A token and its logit. */
  record Logit(int token, double value) {}

  /**
   * One prompt.
   *
   * @param top5 for each step the five largest logits, largest first
   */
  record Case(
      String prompt, int[] promptIds, int[] continuation, String text, List<List<Logit>> top5) {

    @Override
    public String toString() {
      return prompt.length() <= 40 ? prompt : prompt.substring(0, 40) + "…";
    }
  }

  private Golden() {}

  private static JsonNode root() {
    try (InputStream in = GoldenValues.open()) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The six prompts and the nearly finished story, with the f32 weights. */
  static List<Case> cases() {
    JsonNode root = root();
    List<Case> cases = new ArrayList<>();
    root.get("cases").forEach(node -> cases.add(read(node)));
    cases.add(read(root.get("ending")));
    return cases;
  }

  /** The continuations computed with the weights of another file, in the order of the cases. */
  static List<int[]> continuations(String weights) {
    JsonNode root = root();
    List<int[]> all = new ArrayList<>();
    root.get("cases").forEach(node -> all.add(other(node, weights)));
    all.add(other(root.get("ending"), weights));
    return all;
  }

  private static int[] other(JsonNode node, String weights) {
    return ints(node.get("other").get(weights).get("continuation_ids"));
  }

  private static Case read(JsonNode node) {
    List<List<Logit>> steps = new ArrayList<>();
    for (JsonNode step : node.get("top5")) {
      List<Logit> top = new ArrayList<>();
      for (JsonNode pair : step) {
        top.add(new Logit(pair.get(0).asInt(), pair.get(1).asDouble()));
      }
      steps.add(top);
    }
    return new Case(
        node.get("prompt").asString(),
        ints(node.get("prompt_ids")),
        ints(node.get("continuation_ids")),
        node.get("continuation_text").asString(),
        steps);
  }

  private static int[] ints(JsonNode array) {
    int[] values = new int[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).asInt();
    }
    return values;
  }
}
