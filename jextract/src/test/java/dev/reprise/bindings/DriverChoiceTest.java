package dev.reprise.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.DriverLibrary.Attempt;
import dev.reprise.bindings.DriverLibrary.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverChoiceTest {

  @Test
  void aPathThatDoesNotExistIsNamedWithWhatToDo() {
    assertThatThrownBy(() -> new DriverLoader().load("/no/such/libcuda.so"))
        .isInstanceOf(DriverNotFoundException.class)
        .hasMessageContaining(
            "/no/such/libcuda.so (cannot be loaded: cannot open shared object file: No such file or"
                + " directory)")
        .hasMessageContaining("REPRISE_DRIVER");
  }

  @Test
  void aFileThatIsNoLibraryIsNamed(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("libcuda.so.1"), "no library");
    assertThatThrownBy(() -> new DriverLoader().load(file.toString()))
        .isInstanceOf(DriverNotFoundException.class)
        .hasMessageContaining(file + " (cannot be loaded: file too short)");
  }

  @Test
  void aLibraryThatIsNoDriverIsNamed() {
    Path libc = Path.of("/lib/x86_64-linux-gnu/libc.so.6");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(libc), "needs a glibc system");
    assertThatThrownBy(() -> new DriverLoader().load(libc.toString()))
        .isInstanceOf(DriverNotFoundException.class)
        .isInstanceOfSatisfying(
            DriverNotFoundException.class,
            e ->
                assertThat(e.attempts())
                    .containsExactly(
                        new Attempt(
                            libc.toString(),
                            Outcome.NOT_A_DRIVER,
                            0,
                            "is not a CUDA driver: it exports no cuInit")));
  }

  @Test
  void whetherThereIsADriverCanBeAsked() {
    assertThat(DriverLibrary.isAvailable()).isTrue();
    assertThat(DriverLibrary.unavailableReason()).isEmpty();
    assertThat(DriverLibrary.failureOf(() -> new DriverLoader().load("/no/such/libcuda.so")))
        .hasValueSatisfying(reason ->
            assertThat(reason).contains("/no/such/libcuda.so", "No such file", "REPRISE_DRIVER"));
  }

  @Test
  void softwareTakesTheServiceAndSaysItsVersion() {
    DriverLibrary library = new DriverLoader().load("software");
    assertThat(library.kind()).isEqualTo(DriverLibrary.Kind.SOFTWARE);
    assertThat(library.driverVersion()).isEqualTo(12000);
    assertThat(library.describe()).isEqualTo("CUDA driver: tiny driver (CUDA 12.0)");
    assertThat(library.attempts())
        .containsExactly(new Attempt("tiny driver", Outcome.TAKEN, 0, null));
  }

  @Test
  void aSettingThatTheServiceRefusesIsNamedWithItsRemedy() {
    refused(
        "nonsense",
        e -> {
          String reason =
              "tiny.driver.setting must be unset, not 'nonsense'; correct this setting or remove it";
          assertThat(e)
              .hasMessageContaining("software GPU (" + reason + ")")
              .hasNoSuppressedExceptions();
          assertThat(e.getMessage()).doesNotContain("\n");
          assertThat(e).hasCauseInstanceOf(IllegalArgumentException.class);
          assertThat(e.attempts())
              .containsExactly(new Attempt("software GPU", Outcome.NOT_STARTED, 0, reason));
        });
  }

  @Test
  void aServiceThatFailsByItselfIsToldApartFromABadSetting() {
    refused(
        "broken",
        e ->
            assertThat(e)
                .hasMessageContaining(
                    "cannot be started: java.lang.IllegalStateException: a mistake")
                .hasMessageNotContaining("correct this setting"));
  }

  private static void refused(String setting, Consumer<DriverNotFoundException> check) {
    System.setProperty(TinyDriver.SETTING, setting);
    try {
      assertThatThrownBy(() -> new DriverLoader().load("software"))
          .isInstanceOfSatisfying(DriverNotFoundException.class, check);
    } finally {
      System.clearProperty(TinyDriver.SETTING);
    }
  }
}
