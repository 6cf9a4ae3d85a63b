package dev.reprise.llama.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.llama.gguf.GgufFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The heap of candidates against the definition, carried out one merge at a time. */
class BytePairMergerTest {
  private static final long SEED = 4_711;

  @Test
  void mergesAsTheDefinitionDoes() {
    try (GgufFile file =
        GgufFile.openResource(
            BytePairMergerTest.class, "/dev/reprise/llama/tiny-stories-f32.gguf")) {
      List<String> tokens = file.metadata().strings("tokenizer.ggml.tokens");
      Map<String, Integer> ranks = new HashMap<>();
      for (String merge : file.metadata().strings("tokenizer.ggml.merges")) {
        ranks.put(merge, ranks.size());
      }
      BytePairMerger merger = new BytePairMerger(MergeTable.from(file, Vocabulary.from(file)));
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < 2000; i++) {
        List<String> word = word(random, tokens);
        IntList out = new IntList();
        word.forEach(token -> merger.add(tokens.indexOf(token)));
        merger.mergeInto(out);
        List<String> merged = new ArrayList<>();
        for (int id : out.toArray()) {
          merged.add(tokens.get(id));
        }
        assertThat(merged)
            .as("seed %d, word %d %s", SEED, i, word)
            .isEqualTo(byDefinition(word, ranks));
      }
    }
  }

  /** Bytes of a few tokens in a row, so that many merges apply. */
  private static List<String> word(SplittableRandom random, List<String> tokens) {
    List<String> out = new ArrayList<>();
    int parts = random.nextInt(12);
    for (int i = 0; i < parts; i++) {
      String token = tokens.get(2 + random.nextInt(random.nextBoolean() ? 80 : tokens.size() - 2));
      token.chars().forEach(c -> out.add(String.valueOf((char) c)));
    }
    return out;
  }

  private static List<String> byDefinition(List<String> word, Map<String, Integer> ranks) {
    List<String> parts = new ArrayList<>(word);
    while (true) {
      int best = -1;
      int bestRank = Integer.MAX_VALUE;
      for (int i = 0; i + 1 < parts.size(); i++) {
        int rank = ranks.getOrDefault(parts.get(i) + " " + parts.get(i + 1), Integer.MAX_VALUE);
        if (rank < bestRank) {
          bestRank = rank;
          best = i;
        }
      }
      if (best < 0) {
        return parts;
      }
      parts.set(best, parts.get(best) + parts.remove(best + 1));
    }
  }
}
