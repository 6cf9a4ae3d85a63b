package dev.reprise.graph.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AmdahlBoundTest {

  private final AmdahlBound step =
      new AmdahlBound(Map.of("matmul", 600.0, "attention", 200.0, "launch", 200.0));

  @Test
  void whatStaysBoundsTheWhole() {
    assertThat(step.total()).isEqualTo(1000);
    assertThat(step.share("matmul")).isEqualTo(0.6);
    assertThat(step.bound("matmul")).isEqualTo(2.5);
    assertThat(step.bound("launch")).isEqualTo(1.25);
    assertThat(new AmdahlBound(Map.of("all", 3.0, "none", 0.0)).bound("all"))
        .isEqualTo(Double.POSITIVE_INFINITY);
  }

  @Test
  void severalPartsMayGetFasterOrSlower() {
    assertThat(step.speedup(Map.of())).isEqualTo(1);
    assertThat(step.speedup(Map.of("matmul", 2.0))).isEqualTo(1000.0 / 700);
    assertThat(step.speedup(Map.of("matmul", 2.0, "launch", Double.POSITIVE_INFINITY)))
        .isEqualTo(2);
    assertThat(step.speedup(Map.of("attention", 0.5))).isEqualTo(1000.0 / 1200);
  }

  @Test
  void whatMakesNoStepIsRefused() {
    assertThatThrownBy(() -> new AmdahlBound(Map.of())).hasMessageContaining("some time together");
    assertThatThrownBy(() -> new AmdahlBound(Map.of("x", 0.0))).hasMessageContaining("some time");
    assertThatThrownBy(() -> new AmdahlBound(Map.of("x", -1.0)))
        .hasMessage("the time of x must be finite and not negative: -1.0");
    assertThatThrownBy(() -> step.bound("sampling")).hasMessageContaining("no part \"sampling\"");
    assertThatThrownBy(() -> step.speedup(Map.of("matmul", 0.0)))
        .hasMessageContaining("by a factor above 0: 0.0");
  }
}
