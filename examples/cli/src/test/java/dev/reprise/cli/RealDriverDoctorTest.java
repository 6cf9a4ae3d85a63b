package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the doctor says of NVIDIA's own driver library where there is no device.
 *
 * <p>Runs where the environment variable {@value #LIBRARY} names that file; {@code .ci/libcuda.sh}
 * fetches it.
 */
class RealDriverDoctorTest {
  static final String LIBRARY = "REPRISE_REAL_LIBCUDA";

  private static final String NO_DEVICE =
      " loads, but cuInit answers 100: NVIDIA's library is there but sees no device; NVIDIA's"
          + " kernel module is not loaded";
  private static final String FIX =
      "  fix: run nvidia-smi, see that /dev/nvidia0 exists, start a container with --gpus all; or"
          + " do without: --driver software";

  @TempDir private Path folder;

  private static Path library = Path.of("");

  @BeforeAll
  static void aLibraryWithoutADevice() {
    String path = System.getenv(LIBRARY);
    assumeThat(path).as("the path of NVIDIA's libcuda.so.1 in " + LIBRARY).isNotBlank();
    assumeThat(Path.of("/proc/driver/nvidia"))
        .as("a machine without NVIDIA's kernel module")
        .doesNotExist();
    library = Path.of(String.valueOf(path)).toAbsolutePath();
    assertThat(library).isRegularFile();
  }

  private CommandRun run(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    return ForkedDoctor.run(folder, List.of(ForkedDoctor.NATIVE_ACCESS), environment, arguments);
  }

  @Test
  void namedByItsPathItIsTakenAndTheLackOfADeviceIsOneLine()
      throws IOException, InterruptedException {
    CommandRun run = run(Map.of(), "--driver", library.toString());
    assertThat(run.code()).as(run.err()).isEqualTo(1);
    assertThat(run.out().lines())
        .containsSubsequence(
            "  choice        " + library + ", from --driver",
            "  taken         " + library,
            "error: " + library + NO_DEVICE,
            FIX,
            "Not ready: there is no device that Reprise can run on.")
        .filteredOn(line -> line.contains("no device;"))
        .hasSize(1);
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .startsWith("INFO CUDA driver: " + library);
  }

  @Test
  void onTheLibraryPathItIsPassedOverForTheSoftwareGpu() throws IOException, InterruptedException {
    CommandRun run =
        run(Map.of("LD_LIBRARY_PATH", library.resolveSibling("").toString()), "--driver", "auto");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().lines())
        .containsSubsequence(
            "  choice        auto, from --driver",
            "  passed over   libcuda.so.1: cuInit answers 100, no device",
            "  taken         software GPU",
            "  trial         a kernel ran, launched and replayed from a graph",
            "warning: libcuda.so.1" + NO_DEVICE,
            FIX)
        .last()
        .asString()
        .startsWith("Ready: Reprise runs on device 0, ");
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .startsWith("INFO CUDA driver: software GPU");
  }
}
