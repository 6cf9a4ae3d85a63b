package dev.reprise.benchmarks.compare;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the numbers were measured on. */
final class Machine {

  private static final double KIB_PER_GIB = 1024 * 1024;

  private Machine() {}

  /** In a line. */
  static String describe(Plan plan) throws IOException, InterruptedException {
    String memory = field(Path.of("/proc/meminfo"), "MemTotal").replaceAll("\\D", "");
    return "%s, %d of its processors, %.0f GiB; Linux %s; %s %s; %s; NVIDIA's driver library %s (CUDA %s), no device"
        .formatted(
            field(Path.of("/proc/cpuinfo"), "model name"),
            Runtime.getRuntime().availableProcessors(),
            Double.parseDouble(memory) / KIB_PER_GIB,
            System.getProperty("os.version"),
            System.getProperty("java.vm.name"),
            System.getProperty("java.vm.version"),
            new Child(List.of("gcc", "--version"), List.of())
                .output()
                .lines()
                .findFirst()
                .orElse(""),
            plan.nvidia().toRealPath().getFileName(),
            cuda(plan.nvidia()));
  }

  /** Processes that wanted to run, on average over the last minute, with 1 for this program. */
  static String load() throws IOException {
    return Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0];
  }

  private static String field(Path file, String name) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown");
  }

  private static String cuda(Path library) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_INT);
      MemorySegment function =
          SymbolLookup.libraryLookup(library, arena).findOrThrow("cuDriverGetVersion");
      int code =
          (int)
              Linker.nativeLinker()
                  .downcallHandle(function, FunctionDescriptor.of(JAVA_INT, ADDRESS))
                  .invokeExact(out);
      int version = out.get(JAVA_INT, 0);
      return code == 0 ? version / 1000 + "." + version % 1000 / 10 : "unknown";
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a downcall threw a checked exception", e);
    }
  }
}
