package dev.reprise.benchmarks.calls;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The driver library that the benchmarks of this process call, whatever the binding: NVIDIA's or
 * the stub of {@code src/native}, named by the system property {@value #PROPERTY}.
 */
public final class CalledDriver {

  /** System property with the path of a {@code libcuda.so.1}. */
  public static final String PROPERTY = "reprise.benchmarks.driver";

  /** System property with the path of a {@code libcudart.so.12}. */
  public static final String RUNTIME_API = "reprise.benchmarks.cudart";

  private final Path path;

  private CalledDriver(Path path) {
    this.path = path;
  }

  /** Loads the library; every binding that asks for {@code libcuda.so.1} afterwards gets it. */
  public static CalledDriver load() {
    Path path = path(PROPERTY);
    // The dynamic loader knows a loaded library by its SONAME, and takes no other of that name.
    System.load(path.toString());
    return new CalledDriver(path);
  }

  /** The path that a property names. */
  public static Path path(String property) {
    String value = System.getProperty(property);
    if (value == null) {
      throw new IllegalStateException(
          "The system property %s names no library; examples/benchmarks/compare sets it."
              .formatted(property));
    }
    try {
      return Path.of(value).toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fails unless this library is the only one of its kind in the process. */
  public void checkAlone() {
    Set<String> mapped;
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      mapped =
          lines
              .filter(line -> line.contains("/libcuda.so"))
              .map(line -> line.substring(line.indexOf('/')))
              .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!mapped.equals(Set.of(path.toString()))) {
      throw new IllegalStateException(
          "The process was to call %s alone and has loaded %s.".formatted(path, mapped));
    }
  }

  /** Fails unless the last launch passed this as the argument that changes, after so many. */
  public void checkLaunches(int launches) {
    long seen = exported("stub_launches").get(JAVA_LONG, 0);
    int argument = exported("stub_argument").get(JAVA_INT, 0);
    if (launches == 0 || seen != launches || argument != launches) {
      throw new IllegalStateException(
          "%d launches were made; the driver saw %d, the last with argument %d."
              .formatted(launches, seen, argument));
    }
  }

  /** Fails unless the driver saw graph launches, and so many. */
  public void checkGraphLaunches(long launches) {
    long seen = exported("stub_graph_launches").get(JAVA_LONG, 0);
    if (launches == 0 || seen != launches) {
      throw new IllegalStateException(
          "%d graph launches were made; the driver saw %d.".formatted(launches, seen));
    }
  }

  private MemorySegment exported(String variable) {
    return SymbolLookup.libraryLookup(path, Arena.global())
        .findOrThrow(variable)
        .reinterpret(Long.BYTES);
  }
}
