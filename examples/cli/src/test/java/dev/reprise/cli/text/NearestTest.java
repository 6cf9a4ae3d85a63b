package dev.reprise.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
  @Test
  void countsLettersToChange() {
    assertThat(Nearest.distance("", "abc")).isEqualTo(3);
    assertThat(Nearest.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(Nearest.distance("seed", "seed")).isZero();
    assertThat(Nearest.distance("flaw", "lawn")).isEqualTo(2);
  }

  @Test
  void takesTheNearestWordAndNoneThatIsFar() {
    List<String> words = List.of("--seed", "--temperature", "--top-k", "--top-p");
    assertThat(Nearest.to("--sede", words)).contains("--seed");
    assertThat(Nearest.to("--top_p", words)).contains("--top-p");
    assertThat(Nearest.to("--temp", words)).contains("--temperature");
    assertThat(Nearest.to("--something-else", words)).isEmpty();
    assertThat(Nearest.to("x", List.of("ab"))).isEmpty();
  }
}
