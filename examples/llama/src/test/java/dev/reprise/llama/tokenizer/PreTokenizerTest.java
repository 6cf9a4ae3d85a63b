package dev.reprise.llama.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The hand-written rule against the regular expression that defines it. */
class PreTokenizerTest {
  private static final long SEED = 31_337;
  private static final Pattern RULE =
      Pattern.compile(
          "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
          Pattern.UNICODE_CHARACTER_CLASS);

  @Test
  void cutsAsTheRegularExpressionDoes() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      String text = RandomText.next(random);
      assertThat(pieces(text)).as("seed %d, text %d", SEED, i).isEqualTo(expected(text));
    }
  }

  @Test
  void classesEveryCodePointAsTheRegularExpressionDoes() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        String text =
            " a"
                + Character.toString(c)
                + " 1"
                + Character.toString(c)
                + "!"
                + Character.toString(c);
        if (!pieces(text).equals(expected(text))) {
          assertThat(pieces(text)).as("U+%04X", c).isEqualTo(expected(text));
        }
      }
    }
  }

  @Test
  void theLastOfSeveralSpacesGoesWithTheWord() {
    assertThat(pieces("a   b")).containsExactly("a", "  ", " b");
    assertThat(pieces("a\n\nb")).containsExactly("a", "\n", "\n", "b");
    assertThat(pieces("a  ")).containsExactly("a", "  ");
    assertThat(pieces("they'll can't X'S"))
        .containsExactly("they", "'ll", " can", "'t", " X", "'", "S");
  }

  private static List<String> pieces(String text) {
    List<String> all = new ArrayList<>();
    for (int start = 0; start < text.length(); ) {
      int end = PreTokenizer.end(text, start);
      all.add(text.substring(start, end));
      start = end;
    }
    return all;
  }

  private static List<String> expected(String text) {
    return RULE.matcher(text).results().map(MatchResult::group).toList();
  }
}
