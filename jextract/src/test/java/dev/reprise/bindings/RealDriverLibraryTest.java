package dev.reprise.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bindings on NVIDIA's own driver library, which loads and answers where there is no device.
 *
 * <p>Runs where the environment variable {@value #LIBRARY} names that file; {@code .ci/libcuda.sh}
 * fetches it. The library is used in a process of its own, since the choice is made once in each.
 */
class RealDriverLibraryTest {

  static final String LIBRARY = "REPRISE_REAL_LIBCUDA";

  /** Exists where the kernel module runs, so that there may be a device after all. */
  private static final Path KERNEL_MODULE = Path.of("/proc/driver/nvidia");

  @TempDir private static Path folder;

  private static String library = "";
  private static int exitCode;
  private static List<String> out = List.of();
  private static List<String> err = List.of();

  @BeforeAll
  static void askTheLibraryInAProcessOfItsOwn() throws IOException, InterruptedException {
    String path = System.getenv(LIBRARY);
    assumeThat(path).as("the path of NVIDIA's libcuda.so.1 in " + LIBRARY).isNotBlank();
    library = Path.of(String.valueOf(path)).toAbsolutePath().toString();
    // A path that was given and is wrong must not pass as one that was not given.
    assertThat(Path.of(library)).isRegularFile();
    Path outFile = folder.resolve("out");
    Path errFile = folder.resolve("err");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                "-XX:ErrorFile=" + folder.resolve("hs_err.log"),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                RealDriverProbe.class.getName(),
                library)
            .directory(folder.toFile())
            .redirectOutput(outFile.toFile())
            .redirectError(errFile.toFile())
            .start();
    exitCode = process.waitFor();
    out = Files.readAllLines(outFile, StandardCharsets.UTF_8);
    err = Files.readAllLines(errFile, StandardCharsets.UTF_8);
  }

  @Test
  void theProcessEndsWellAndSaysOnlyWhatWasChosen() throws IOException {
    assertThat(exitCode).as("%s", err).isZero();
    assertThat(err).singleElement().asString().contains("CUDA driver: " + library + " (CUDA ");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("out", "err");
    }
  }

  @Test
  void theLibraryNamedIsTheOneTakenAndSaysItsVersion() {
    assertThat(out).contains("library PATH " + library);
    assertThat(driverVersion()).isGreaterThanOrEqualTo(12000);
  }

  @Test
  void everyFunctionThatTheDriverShouldHaveResolves() {
    List<String> expected =
        DriverSymbol.all().values().stream()
            .filter(symbol -> symbol.version() <= driverVersion())
            .map(symbol -> "found " + symbol.exported())
            .toList();
    assertThat(expected).hasSizeGreaterThan(300);
    assertThat(out).containsAll(expected);
  }

  @Test
  void aCallOfEveryNewerFunctionNamesBothVersions() {
    Map<String, String> missing = new TreeMap<>();
    for (String line : out) {
      if (line.startsWith("missing ")) {
        String[] field = line.split(" ", 3);
        missing.put(field[1], field[2]);
      }
    }
    Map<String, String> expected =
        DriverSymbol.all().values().stream()
            .filter(symbol -> symbol.version() > driverVersion())
            .collect(Collectors.toMap(DriverSymbol::exported, RealDriverLibraryTest::refusal));
    assertThat(missing).isNotEmpty().containsExactlyInAnyOrderEntriesOf(expected);
  }

  private static String refusal(DriverSymbol symbol) {
    return "%s: The driver library %s (CUDA %s) has no %s, which needs a driver for CUDA %s or newer."
        .formatted(
            MissingEntryPointException.class.getName(),
            library,
            CudaVersion.text(driverVersion()),
            symbol.exported(),
            CudaVersion.text(symbol.version()));
  }

  @Test
  void constantsWorkBeforeAndAfterTheLibraryIsChosen() {
    assertThat(out).startsWith("constant 100").endsWith("constant 13000");
  }

  @Test
  void initialisingSaysThatThereIsNoDevice() {
    assumeThat(KERNEL_MODULE).as("a machine without NVIDIA's kernel module").doesNotExist();
    assertThat(out).contains("init 100");
  }

  private static int driverVersion() {
    return out.stream()
        .filter(line -> line.startsWith("version "))
        .mapToInt(line -> Integer.parseInt(line.substring("version ".length())))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no version in " + out + err));
  }
}
