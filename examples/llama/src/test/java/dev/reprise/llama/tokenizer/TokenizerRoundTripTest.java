package dev.reprise.llama.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenizerRoundTripTest {
  private static final long SEED = 7_734;
  private static final Tokenizer TOKENIZER = StoryTokenizer.TOKENIZER;

  @Test
  void decodingGivesBackAnyText() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 3000; i++) {
      String text = RandomText.next(random);
      assertThat(TOKENIZER.decode(TOKENIZER.encode(text, false)))
          .as("seed %d, text %d", SEED, i)
          .isEqualTo(text);
    }
  }

  @Test
  void everyCodePointIsATextOfItsOwn() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        String text = Character.toString(c);
        String decoded = TOKENIZER.decode(TOKENIZER.encode(text, false));
        if (!decoded.equals(text)) {
          assertThat(decoded).as("U+%04X", c).isEqualTo(text);
        }
      }
    }
  }

  @Test
  void anUnpairedSurrogateBecomesAReplacementCharacter() {
    assertThat(TOKENIZER.decode(TOKENIZER.encode("a\ud83d", false))).isEqualTo("a\uFFFD");
    assertThat(TOKENIZER.decode(TOKENIZER.encode("\ude42b \ud83d c", false)))
        .isEqualTo("\uFFFDb \uFFFD c");
    assertThat(TOKENIZER.encode("a\ud83d b", false))
        .isEqualTo(TOKENIZER.encode("a\uFFFD b", false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "ab", "the ", " ", "\n ", "1", "!?", "'s", "🙂", "\u00e9"})
  void hundredThousandCharactersAreNoProblem(String unit) {
    String text = unit.repeat(100_000 / unit.length());
    assertThat(TOKENIZER.decode(TOKENIZER.encode(text, false))).isEqualTo(text);
    assertThat(TOKENIZER.decode(TOKENIZER.encode(text + "end", false))).isEqualTo(text + "end");
  }

  @Test
  void theTextOfASpecialTokenIsJustText() {
    int[] ids = TOKENIZER.encode("<|eos|>", false);
    assertThat(ids).hasSizeGreaterThan(1).doesNotContain(TOKENIZER.eos());
    assertThat(TOKENIZER.decode(ids)).isEqualTo("<|eos|>");
  }

  @Test
  void specialTokensGiveNoText() {
    assertThat(TOKENIZER.isSpecial(TOKENIZER.bos())).isTrue();
    assertThat(TOKENIZER.isSpecial(TOKENIZER.eos())).isTrue();
    assertThat(IntStream.range(0, TOKENIZER.size()).filter(TOKENIZER::isSpecial).count())
        .isEqualTo(2);
    int[] word = TOKENIZER.encode("Hello", true);
    assertThat(word[0]).isEqualTo(TOKENIZER.bos());
    assertThat(TOKENIZER.decode(word)).isEqualTo("Hello");
    assertThat(TOKENIZER.addsBos()).isTrue();
  }

  @Test
  void idsOutsideTheVocabularyAreRefused() {
    assertThat(TOKENIZER.size()).isEqualTo(1024);
    assertThatThrownBy(() -> TOKENIZER.decode(5, 1024))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("token id 1024 is outside 0 to 1023");
    assertThatThrownBy(() -> TOKENIZER.streamingDecoder().accept(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TOKENIZER.isSpecial(1024))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
