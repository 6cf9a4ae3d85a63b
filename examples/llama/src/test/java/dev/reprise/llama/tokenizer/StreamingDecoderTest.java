package dev.reprise.llama.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StreamingDecoderTest {
  private static final long SEED = 99;
  private static final Tokenizer TOKENIZER = StoryTokenizer.TOKENIZER;

  @Test
  void everyPrefixStreamsToWhatItDecodesTo() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 300; i++) {
      int[] ids = TOKENIZER.encode(RandomText.next(random), true);
      checkPrefixes(ids, "seed " + SEED + ", text " + i);
    }
  }

  @Test
  void idsThatMakeNoUtf8StreamToWhatTheyDecodeTo() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 5000; i++) {
      // Ids 2 to 257 are the 256 bytes, and some of the others end inside a character.
      int[] ids = random.ints(12, 0, random.nextBoolean() ? 258 : TOKENIZER.size()).toArray();
      checkPrefixes(ids, "seed " + SEED + ", ids " + i);
    }
  }

  @Test
  void aCharacterComesOutWithItsLastByte() {
    int[] ids = TOKENIZER.encode("🙂", false);
    assertThat(ids).hasSizeGreaterThan(1);
    StreamingDecoder decoder = TOKENIZER.streamingDecoder();
    for (int i = 0; i < ids.length - 1; i++) {
      assertThat(decoder.accept(ids[i])).isEmpty();
    }
    assertThat(decoder.accept(ids[ids.length - 1])).isEqualTo("🙂");
    assertThat(decoder.finish()).isEmpty();
  }

  @Test
  void whatIsLeftBecomesAReplacementCharacterAndTheDecoderIsNewAgain() {
    int[] ids = TOKENIZER.encode("🙂", false);
    StreamingDecoder decoder = TOKENIZER.streamingDecoder();
    assertThat(decoder.accept(ids[0])).isEmpty();
    assertThat(decoder.finish()).isEqualTo("\uFFFD");
    assertThat(decoder.finish()).isEmpty();
    StringBuilder again = new StringBuilder();
    for (int id : TOKENIZER.encode("Zoë", false)) {
      again.append(decoder.accept(id));
    }
    assertThat(again.toString()).isEqualTo("Zoë");
  }

  private static void checkPrefixes(int[] ids, String what) {
    for (int length = 0; length <= ids.length; length++) {
      int[] prefix = Arrays.copyOf(ids, length);
      String whole = TOKENIZER.decode(prefix);
      StreamingDecoder decoder = TOKENIZER.streamingDecoder();
      StringBuilder streamed = new StringBuilder();
      for (int id : prefix) {
        streamed.append(decoder.accept(id));
      }
      assertThat(whole).as(what).startsWith(streamed);
      assertThat(streamed + decoder.finish()).as(what).isEqualTo(whole);
    }
  }
}
