package dev.reprise.llama.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.llama.gguf.GgufException;
import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.gguf.GgufValueType;
import dev.reprise.llama.gguf.GgufWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TokenizerMetadataTest {
  /**
   * A small vocabulary: two special tokens, the bytes, and what the merges need; each test spoils
   * one thing.
   */
  private static final class Metadata {
    String model = "gpt2";
    String pre = "gpt-2";
    final List<String> tokens = new ArrayList<>(List.of("<s>", "</s>"));
    final List<String> merges = new ArrayList<>(List.of("a b", "ab c"));
    int[] types;
    int bos = 0;
    int eos = 1;
    Set<String> leaveOut = Set.of();

    Metadata() {
      for (int b = 0; b < 256; b++) {
        tokens.add(String.valueOf(ByteAlphabet.charOf(b)));
      }
      tokens.addAll(List.of("ab", "abc"));
      types = new int[tokens.size()];
      Arrays.fill(types, 1);
      types[0] = 3;
      types[1] = 3;
    }

    Tokenizer build() {
      GgufWriter out = new GgufWriter();
      put("model", () -> out.string("tokenizer.ggml.model", model));
      put("pre", () -> out.string("tokenizer.ggml.pre", pre));
      put("tokens", () -> out.strings("tokenizer.ggml.tokens", tokens));
      put("token_type", () -> out.ints("tokenizer.ggml.token_type", types));
      put("merges", () -> out.strings("tokenizer.ggml.merges", merges));
      put("bos_token_id", () -> out.u32("tokenizer.ggml.bos_token_id", bos));
      put("eos_token_id", () -> out.u32("tokenizer.ggml.eos_token_id", eos));
      return Tokenizer.from(GgufFile.of(MemorySegment.ofArray(out.toArray()), "test.gguf"));
    }

    private void put(String name, Runnable write) {
      if (!leaveOut.contains(name)) {
        write.run();
      }
    }

    void refused(String message) {
      assertThatThrownBy(this::build)
          .isInstanceOf(TokenizerException.class)
          .hasMessage("test.gguf: " + message);
    }
  }

  private final Metadata metadata = new Metadata();

  @Test
  void aSoundVocabularyEncodes() {
    Tokenizer tokenizer = metadata.build();
    assertThat(tokenizer.size()).isEqualTo(260);
    assertThat(tokenizer.encode("abcab", false)).containsExactly(259, 258);
    assertThat(tokenizer.addsBos()).isFalse();
  }

  @Test
  void everyKeyIsNeeded() {
    for (String key :
        List.of("model", "pre", "tokens", "token_type", "merges", "bos_token_id", "eos_token_id")) {
      metadata.leaveOut = Set.of(key);
      assertThatThrownBy(metadata::build)
          .isInstanceOf(GgufException.class)
          .hasMessageContaining("there is no metadata key \"tokenizer.ggml." + key + "\"");
    }
  }

  @Test
  void otherKindsOfTokenizersAreNamed() {
    metadata.model = "llama";
    metadata.refused("tokenizer.ggml.model is \"llama\", supported: \"gpt2\"");
    metadata.model = "gpt2";
    metadata.pre = "llama-bpe";
    metadata.refused("tokenizer.ggml.pre is \"llama-bpe\", supported: \"gpt-2\"");
  }

  @Test
  void mergesOfUnknownTokensAreNamed() {
    metadata.merges.set(1, "ab d");
    metadata.refused(
        "tokenizer.ggml.merges[1] needs the token \"abd\", which is not in tokenizer.ggml.tokens");
    metadata.merges.set(1, "xy c");
    metadata.refused(
        "tokenizer.ggml.merges[1] needs the token \"xy\", which is not in tokenizer.ggml.tokens");
  }

  @Test
  void mergesThatAreNoPairsAreNamed() {
    for (String merge : List.of("ab", " ab", "ab ", "a b c", "", " ")) {
      metadata.merges.set(1, merge);
      metadata.refused(
          "tokenizer.ggml.merges[1] must be two tokens with a space between, and is \""
              + merge
              + "\"");
    }
  }

  @Test
  void mergesAndTokensThatComeTwiceAreNamed() {
    metadata.merges.set(1, "a b");
    metadata.refused("tokenizer.ggml.merges[1] \"a b\" was there before");
    metadata.tokens.set(259, "ab");
    metadata.refused("tokenizer.ggml.tokens has \"ab\" twice, as 258 and as 259");
  }

  @Test
  void aByteWithoutATokenIsNamed() {
    metadata.tokens.set(2 + 'q', "qq");
    metadata.refused(
        "tokenizer.ggml.tokens has no plain token for the byte 113, which is written \"q\"");
  }

  @Test
  void tokensThatStandForNoBytesAreNamed() {
    metadata.tokens.set(259, "a c");
    metadata.refused(
        "tokenizer.ggml.tokens[259] \"a c\" has a character that stands for no byte, at index 1");
    metadata.tokens.set(259, "a日");
    metadata.refused(
        "tokenizer.ggml.tokens[259] \"a日\" has a character that stands for no byte, at index 1");
    metadata.tokens.set(259, "");
    metadata.refused("tokenizer.ggml.tokens[259] is empty");
  }

  @Test
  void typesMustBeKnownAndAsManyAsTokens() {
    metadata.types[258] = 4;
    metadata.refused(
        "tokenizer.ggml.token_type[258], of the token \"ab\", is 4, supported: 1 (normal), 2"
            + " (unknown), 3 (control), 5 (unused)");
    metadata.types = new int[3];
    metadata.refused("tokenizer.ggml.token_type has 3 elements for 260 tokens");
  }

  @Test
  void idsOutsideTheVocabularyAreNamed() {
    metadata.eos = 260;
    metadata.refused("tokenizer.ggml.eos_token_id is 260, and there are 260 tokens");
  }

  @Test
  void aSpecialTokenCannotBeAByte() {
    metadata.bos = 2 + 'q';
    metadata.refused(
        "tokenizer.ggml.tokens has no plain token for the byte 113, which is written \"q\"");
  }

  @Test
  void valuesOfOtherTypesAreNamed() {
    GgufWriter out = new GgufWriter();
    out.key("tokenizer.ggml.model", GgufValueType.UINT32).u32(1);
    GgufFile file = GgufFile.of(MemorySegment.ofArray(out.toArray()), "test.gguf");
    assertThatThrownBy(() -> Tokenizer.from(file))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining(
            "expected metadata \"tokenizer.ggml.model\" to be STRING, found UINT32");
  }
}
