package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.doctor.Problem.Severity;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindingsTest {

  private static final DriverFacts GOOD =
      Facts.taken(Facts.cuda(13000, Facts.complete()), Facts.CUDA);

  private static List<Problem> of(JavaFacts java, NativeAccessFacts access, DriverFacts driver) {
    return Findings.of(java, Facts.host(Facts.SIGNS), access, driver, List.of(Facts.device()));
  }

  @Test
  void whereAllIsWellThereIsNone() {
    assertThat(of(Facts.JAVA, Facts.ACCESS, GOOD)).isEmpty();
  }

  @Test
  void anOldJavaIsAnError() {
    JavaFacts old = new JavaFacts("21.0.2+13", 21, "Some Vendor", "/opt/jdk", 1, 1);
    assertThat(of(old, Facts.ACCESS, GOOD))
        .containsExactly(
            Problem.error(
                "Java 21.0.2+13 is older than 25",
                "install JDK 25 or newer and set JAVA_HOME to it"));
  }

  @Test
  void aMissingFlagIsToldInFull() {
    assertThat(of(Facts.JAVA, Facts.access(false), GOOD))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.severity()).isEqualTo(Severity.WARNING);
          assertThat(problem.what()).contains("dev.reprise.bindings");
          assertThat(problem.fix())
              .isEqualTo("start Java with --enable-native-access=dev.reprise.bindings");
        });
  }

  @Test
  void aMissingFlagIsAnErrorWhereNothingWasLoaded() {
    assertThat(of(Facts.JAVA, Facts.access(false), Facts.nothing("Illegal native access")))
        .allMatch(problem -> problem.severity() == Severity.ERROR)
        .first()
        .satisfies(problem -> assertThat(problem.fix()).contains("--enable-native-access="));
  }

  @Test
  void theGravestComeFirst() {
    List<Problem> problems =
        Findings.of(
            Facts.JAVA,
            Facts.host(Facts.NO_SIGNS),
            Facts.access(false),
            Facts.taken(Facts.software(Facts.complete()), Facts.NOT_LOADED, Facts.SOFTWARE),
            List.of(Facts.failing("loading PTX: no")));
    assertThat(problems)
        .extracting(Problem::severity)
        .containsExactly(Severity.ERROR, Severity.WARNING, Severity.WARNING, Severity.NOTE);
  }

  @Test
  void everyProblemAndFixIsOneLine() {
    List<DriverFacts> drivers =
        List.of(
            Facts.nothing("it | broke", Facts.NO_DEVICE, Facts.NOT_LOADED),
            Facts.takenAndFailing(100, "cuInit failed"),
            Facts.takenAndFailing(999, "cuInit failed"),
            Facts.takenAndFailing(1, "cuInit failed"));
    for (DriverFacts driver : drivers) {
      assertThat(
              Findings.of(Facts.JAVA, Facts.host(Facts.NO_SIGNS), Facts.ACCESS, driver, List.of()))
          .isNotEmpty()
          .allSatisfy(problem -> {
            assertThat(problem.what()).isNotBlank().doesNotContain("\n");
            assertThat(problem.fix()).isNotBlank().doesNotContain("\n");
          });
    }
  }
}
