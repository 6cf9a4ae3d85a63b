package dev.reprise.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverChoiceTest {

  @Test
  void aPathThatDoesNotExistIsNamedWithWhatToDo() {
    assertThatThrownBy(() -> new DriverLoader().load("/no/such/libcuda.so"))
        .isInstanceOf(DriverNotFoundException.class)
        .hasMessageContaining("/no/such/libcuda.so (cannot be loaded)")
        .hasMessageContaining("REPRISE_DRIVER");
  }

  @Test
  void aFileThatIsNoLibraryIsNamed(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("libcuda.so.1"), "not a library");
    assertThatThrownBy(() -> new DriverLoader().load(file.toString()))
        .isInstanceOf(DriverNotFoundException.class)
        .hasMessageContaining(file + " (cannot be loaded)");
  }

  @Test
  void aLibraryThatIsNoDriverIsNamed() {
    Path libc = Path.of("/lib/x86_64-linux-gnu/libc.so.6");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(libc), "needs a glibc system");
    assertThatThrownBy(() -> new DriverLoader().load(libc.toString()))
        .isInstanceOf(DriverNotFoundException.class)
        .hasMessageContaining("it exports no cuInit");
  }

  @Test
  void softwareTakesTheServiceAndSaysItsVersion() {
    DriverLibrary library = new DriverLoader().load("software");
    assertThat(library.kind()).isEqualTo(DriverLibrary.Kind.SOFTWARE);
    assertThat(library.driverVersion()).isEqualTo(12000);
    assertThat(library.describe()).isEqualTo("CUDA driver: tiny driver (CUDA 12.0)");
    assertThat(library.attempts()).containsExactly(new DriverLibrary.Attempt("tiny driver", null));
  }
}
