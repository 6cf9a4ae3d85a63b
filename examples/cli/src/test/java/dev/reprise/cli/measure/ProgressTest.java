package dev.reprise.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private static String told(boolean terminal, int steps) {
    StringWriter out = new StringWriter();
    Progress progress = Progress.on(new PrintWriter(out), "bench", terminal);
    progress.begin("steps", steps);
    for (int i = 0; i < steps; i++) {
      progress.step();
    }
    return out.toString();
  }

  @Test
  void aFileGetsALineAtEachQuarter() {
    assertThat(told(false, 8).lines())
        .containsExactly(
            "bench: steps …",
            "bench: steps 25%",
            "bench: steps 50%",
            "bench: steps 75%",
            "bench: steps 100%");
  }

  @Test
  void aTerminalGetsABarThatIsDrawnAgain() {
    String told = told(true, 2);
    assertThat(told).contains("\rbench: steps [###############               ]  50%");
    assertThat(told.stripTrailing()).endsWith("[##############################] 100%");
  }
}
