package dev.reprise.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntRangesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "7 | 7",
        "16,64 | 16,64",
        "64, 16 | 64,16",
        "1-4 | 1,2,3,4",
        "16-64+16 | 16,32,48,64",
        "16-60+16 | 16,32,48",
        "1-8*2 | 1,2,4,8",
        "3-100*3 | 3,9,27,81",
        "5-5*2 | 5",
        "1-4,2,8-16*2 | 1,2,3,4,8,16",
        "1-4+2,3 | 1,3",
      })
  void listsAndRangesAreTheNumbersEachOnceInOrder(String text, String numbers) {
    assertThat(IntRanges.parse("--rows", text, 1, 100))
        .isEqualTo(List.of(numbers.split(",")).stream().map(Integer::valueOf).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | \"\" is no number and no range",
        "1,,2 | \"\" is no number and no range",
        "1-8*2+1 | \"1-8*2+1\" is no number and no range",
        "1-8/2 | \"1-8/2\" is no number and no range",
        "-3 | \"-3\" is no number and no range",
        "99999999999 | \"99999999999\" is no number and no range",
        "0 | numbers go from 1 to 100",
        "1-101 | numbers go from 1 to 100",
        "8-1 | 8 is after 1",
        "1-8*1 | a factor must be 2 or more",
        "1-8*0 | a factor must be 2 or more",
        "1-8+0 | a step must be 1 or more",
      })
  void whatIsNoListIsRefusedInOneLineWithWhatWouldDo(String text, String problem) {
    assertThatThrownBy(() -> IntRanges.parse("--rows", text, 1, 100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "--rows must be numbers such as 16,64 or 1-4 or 16-64+16 or 1-8*2; in \"%s\" %s"
                .formatted(text, problem));
  }

  @Test
  void aRangeThatIsFarTooLongEndsAtOnce() {
    assertThatThrownBy(() -> IntRanges.parse("--nodes", "1-999999999", 1, 999_999_999))
        .hasMessageEndingWith("that is more than 1000 numbers");
    assertThat(IntRanges.parse("--nodes", "1-999999999*10", 1, 999_999_999)).hasSize(9);
  }
}
