package dev.reprise.softgpu.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class SanitizerOptionsTest {

  @Test
  void readsLevelSuppressionsLimitAndStatus() {
    assertThat(SanitizerOptions.parse(" full, -leak,-shared-race , limit=7,exit=3"))
        .isEqualTo(
            new SanitizerOptions(
                SanitizerLevel.FULL, Set.of(ReportKind.LEAK, ReportKind.SHARED_RACE), 7, 3));
    assertThat(SanitizerOptions.parse("")).isEqualTo(SanitizerOptions.DEFAULT);
  }

  @Test
  void aKindIsWantedFromItsLevelOnUnlessSuppressed() {
    assertThat(SanitizerOptions.parse("off").wants(ReportKind.MISALIGNED)).isFalse();
    assertThat(SanitizerOptions.parse("faults").wants(ReportKind.MISALIGNED)).isTrue();
    assertThat(SanitizerOptions.parse("stacks").wants(ReportKind.STREAM_RACE)).isFalse();
    assertThat(SanitizerOptions.parse("full").wants(ReportKind.STREAM_RACE)).isTrue();
    assertThat(SanitizerOptions.parse("full,-stream-race").wants(ReportKind.STREAM_RACE)).isFalse();
  }

  @Test
  void saysWhatIsWrong() {
    assertThatThrownBy(() -> SanitizerOptions.parse("everything"))
        .hasMessage("'everything': it must be off, faults, stacks, full, -KIND, limit=N or exit=N");
    assertThatThrownBy(() -> SanitizerOptions.parse("-races"))
        .hasMessageStartingWith("'-races': the kinds are out-of-bounds, misaligned,");
    assertThatThrownBy(() -> SanitizerOptions.parse("limit=no"))
        .hasMessage("'limit=no': a whole number is missing");
    assertThatThrownBy(() -> SanitizerOptions.parse("limit=0"))
        .hasMessage("the limit must be at least 1, not 0");
    assertThatThrownBy(() -> SanitizerOptions.parse("exit=256"))
        .hasMessage("exit must be 0 to 255, not 256");
  }
}
