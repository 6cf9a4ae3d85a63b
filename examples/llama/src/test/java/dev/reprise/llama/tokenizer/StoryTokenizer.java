package dev.reprise.llama.tokenizer;

import dev.reprise.llama.gguf.GgufFile;

/** The tokenizer of the story model. */
final class StoryTokenizer {
  static final Tokenizer TOKENIZER = load();

  private StoryTokenizer() {}

  private static Tokenizer load() {
    try (GgufFile file =
        GgufFile.openResource(StoryTokenizer.class, "/dev/reprise/llama/tiny-stories-f32.gguf")) {
      return Tokenizer.from(file);
    }
  }
}
