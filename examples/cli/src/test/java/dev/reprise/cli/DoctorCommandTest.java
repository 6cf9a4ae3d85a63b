package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.bindings.DriverSymbol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DoctorCommandTest {

  @Test
  void writesTheFactsAndThatItRuns() {
    CommandRun run = CommandRun.withoutEngine("doctor");
    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .contains("Java", "Machine", "Driver", "Device 0", "Software GPU settings")
        .last()
        .asString()
        .startsWith("Ready: Reprise runs on device 0, ");
  }

  @Test
  void verboseListsTheFunctionsThatTheDriverLacks() {
    CommandRun run = CommandRun.withoutEngine("doctor", "--verbose");
    assertThat(run.code()).isZero();
    DriverSymbol.all()
        .forEach((function, symbol) -> {
          boolean lacked = DriverLibrary.current().find(function).isEmpty();
          assertThat(run.out().contains(" lacks " + function + ", of CUDA "))
              .as(function)
              .isEqualTo(lacked);
        });
  }

  @Test
  void jsonIsOneObjectOnOneLine() {
    CommandRun run = CommandRun.withoutEngine("doctor", "--json");
    assertThat(run.code()).isZero();
    assertThat(run.out().lines()).hasSize(1);
    JsonNode json = JsonMapper.shared().readTree(run.out());
    assertThat(json.at("/can_run").asBoolean()).isTrue();
    assertThat(json.at("/driver/library/name").asString())
        .isEqualTo(DriverLibrary.current().name());
  }

  @Test
  void whereNothingCanRunTheExitCodeIsOne() {
    // The tests have used their driver, so that another cannot be chosen.
    CommandRun.withoutEngine("doctor");
    CommandRun run = CommandRun.withoutEngine("doctor", "--driver", "cuda");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out().lines())
        .last()
        .isEqualTo("Not ready: there is no device that Reprise can run on.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--driver sofware | --driver must be auto, cuda, software or the path of a library; it is"
            + " \"sofware\", did you mean software?",
        "--driver ./libnone.so | --driver ./libnone.so: there is no such file",
        "--jsn | unknown option --jsn; did you mean --json?"
      })
  void badUsageIsOneLine(String arguments, String message) {
    CommandRun run = CommandRun.withoutEngine(("doctor " + arguments).split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "reprise doctor: "
                + message
                + " (see \"reprise doctor --help\")"
                + System.lineSeparator());
    assertThat(run.out()).isEmpty();
  }

  @Test
  void theHelpHasTheExitCodes() {
    CommandRun run = CommandRun.withoutEngine("doctor", "--help");
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("--driver", "--json", "--verbose", "Examples:")
        .contains("Exit codes: 0 something can run, 1 nothing can, 2 bad usage.");
  }
}
