package dev.reprise.softgpu.junit;

import static dev.reprise.softgpu.sanitizer.ReportKind.LEAK;
import static dev.reprise.softgpu.sanitizer.ReportKind.OUT_OF_BOUNDS;
import static dev.reprise.softgpu.sanitizer.ReportKind.STREAM_RACE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.sanitizer.ReportKind;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a test fails for what the sanitizer found, or did not find. */
final class NoReportsTest {

  private static String whole(Map<ReportKind, Integer> found, Map<ReportKind, Integer> planted) {
    return NoReports.difference(found, planted, SanitizerOptions.FULL);
  }

  @Test
  void aReportThatIsNotPlantedFails() {
    assertThat(whole(Map.of(STREAM_RACE, 1), Map.of()))
        .isEqualTo("1 reports of kind stream-race by the sanitizer, of which 0 are planted");
    assertThat(whole(Map.of(STREAM_RACE, 1, LEAK, 2), Map.of(STREAM_RACE, 1)))
        .isEqualTo("2 reports of kind leak by the sanitizer, of which 0 are planted");
  }

  @Test
  void aPlantedMistakeThatIsNotFoundFails() {
    assertThat(whole(Map.of(), Map.of(STREAM_RACE, 1)))
        .isEqualTo("0 reports of kind stream-race by the sanitizer, of which 1 are planted");
    assertThat(whole(Map.of(LEAK, 2), Map.of(LEAK, 3))).isNotEmpty();
    assertThat(whole(Map.of(LEAK, 3), Map.of(LEAK, 2))).isNotEmpty();
  }

  @Test
  void exactlyWhatIsPlantedPasses() {
    assertThat(whole(Map.of(), Map.of())).isEmpty();
    assertThat(whole(Map.of(LEAK, 3, STREAM_RACE, 1), Map.of(LEAK, 3, STREAM_RACE, 1))).isEmpty();
  }

  @Test
  void whatIsNotLookedForNeedNotBeFound() {
    Map<ReportKind, Integer> planted = Map.of(STREAM_RACE, 1, OUT_OF_BOUNDS, 1);
    assertThat(NoReports.difference(Map.of(OUT_OF_BOUNDS, 1), planted, SanitizerOptions.DEFAULT))
        .isEmpty();
    assertThat(NoReports.difference(Map.of(), planted, SanitizerOptions.DEFAULT))
        .contains("out-of-bounds");
    assertThat(
            NoReports.difference(
                Map.of(OUT_OF_BOUNDS, 1), planted, SanitizerOptions.parse("full,-stream-race")))
        .isEmpty();
  }
}
