package dev.reprise.llama.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The ids that the reference implementation of the model gives. */
class TokenizerGoldenTest {
  private static final JsonNode GOLDEN = golden();
  private static final Tokenizer TOKENIZER = StoryTokenizer.TOKENIZER;

  private static JsonNode golden() {
    try (InputStream in =
        TokenizerGoldenTest.class.getResourceAsStream("/dev/reprise/llama/golden.json")) {
      return JsonMapper.shared().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<JsonNode> texts() {
    return GOLDEN.get("tokenizer").valueStream();
  }

  static List<JsonNode> prompts() {
    List<JsonNode> all = new ArrayList<>();
    GOLDEN.get("cases").forEach(all::add);
    all.add(GOLDEN.get("ending"));
    return all;
  }

  private static int[] ints(JsonNode array) {
    return array.valueStream().mapToInt(JsonNode::asInt).toArray();
  }

  @Test
  void theGoldenFileHasTextsAndPrompts() {
    assertThat(texts().count()).isEqualTo(22);
    assertThat(prompts()).hasSize(7);
    assertThat(TOKENIZER.bos()).isEqualTo(GOLDEN.get("bos").asInt());
    assertThat(TOKENIZER.eos()).isEqualTo(GOLDEN.get("eos").asInt());
  }

  @ParameterizedTest
  @MethodSource("texts")
  void textsHaveTheReferencesIds(JsonNode text) {
    String value = text.get("text").asString();
    assertThat(TOKENIZER.encode(value, false)).isEqualTo(ints(text.get("ids")));
    assertThat(TOKENIZER.decode(ints(text.get("ids")))).isEqualTo(value);
  }

  @ParameterizedTest
  @MethodSource("prompts")
  void promptsHaveTheReferencesIdsBehindBos(JsonNode prompt) {
    String value = prompt.get("prompt").asString();
    assertThat(TOKENIZER.encode(value, true)).isEqualTo(ints(prompt.get("prompt_ids")));
    assertThat(TOKENIZER.decode(ints(prompt.get("prompt_ids")))).isEqualTo(value);
  }

  @ParameterizedTest
  @MethodSource("prompts")
  void continuationsDecodeToTheReferencesText(JsonNode prompt) {
    int[] ids = ints(prompt.get("continuation_ids"));
    assertThat(TOKENIZER.decode(ids)).isEqualTo(prompt.get("continuation_text").asString());
    StreamingDecoder streaming = TOKENIZER.streamingDecoder();
    StringBuilder text = new StringBuilder();
    for (int id : ids) {
      text.append(streaming.accept(id));
    }
    assertThat(text.append(streaming.finish()).toString())
        .isEqualTo(prompt.get("continuation_text").asString());
  }
}
