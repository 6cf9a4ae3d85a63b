package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.DriverSymbol;
import dev.reprise.softgpu.driver.api.UnsupportedFunctions;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Every function that the bindings take from {@code cuda.h} does something, or answers that it is
 * not supported and is listed in {@code docs/software-gpu.md}.
 */
class EveryFunctionTest {

  private static final Path ROOT = Path.of(System.getProperty("reprise.root", ".."));
  private static final Path INCLUDE_LIST = ROOT.resolve("jextract").resolve("symbols.txt");
  private static final Path PAGE = ROOT.resolve("docs").resolve("software-gpu.md");
  private static final String SECTION = "## Functions that are not supported";
  private static final Pattern ROW = Pattern.compile("\\| ([^|`]+) \\| ((?:`cu\\w+`[ ,]*)+) \\|");

  private final SoftwareGpu gpu = new SoftwareGpu(DeviceModel.of(1, 1 << 20));
  private final EntryPoints entryPoints = new EntryPoints(gpu);

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> included() {
    return lines(INCLUDE_LIST).stream()
        .filter(line -> line.startsWith("--include-function "))
        .map(line -> line.substring("--include-function ".length()).strip())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<String, String> documented() {
    Map<String, String> subjects = new TreeMap<>();
    List<String> page = lines(PAGE);
    int start = page.indexOf(SECTION);
    assertThat(start).as(SECTION).isNotNegative();
    for (String line : page.subList(start + 1, page.size())) {
      if (line.startsWith("## ")) {
        break;
      }
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        for (String function : row.group(2).split("[ ,]+")) {
          assertThat(subjects.put(function.replace("`", ""), row.group(1))).as(function).isNull();
        }
      }
    }
    return subjects;
  }

  @Test
  void isImplementedOrListedAsNotSupported() {
    Set<String> included = included();
    assertThat(included).hasSizeGreaterThan(400).isEqualTo(DriverSymbol.all().keySet());
    Set<String> listed = UnsupportedFunctions.all().keySet();
    Set<String> neither = new TreeSet<>(included);
    neither.removeAll(entryPoints.implemented());
    neither.removeAll(listed);
    assertThat(neither).as("functions that are neither implemented nor listed").isEmpty();
    assertThat(listed).as("listed").isSubsetOf(included);
    assertThat(entryPoints.implemented())
        .as("listed and implemented")
        .doesNotContainAnyElementsOf(listed);
  }

  @Test
  void isListedOnThePage() {
    assertThat(documented()).isEqualTo(new TreeMap<>(UnsupportedFunctions.all()));
  }

  @Test
  void answersWhenItIsNotSupported() throws Throwable {
    gpu.initialize();
    for (String symbol : UnsupportedFunctions.all().keySet()) {
      assertThat(call(symbol)).as(symbol).isEqualTo(Result.NOT_SUPPORTED.code());
    }
  }

  @Test
  void needsInitializationEvenWhenItIsNotSupported() throws Throwable {
    String any = UnsupportedFunctions.all().keySet().iterator().next();
    assertThat(call(any)).isEqualTo(Result.NOT_INITIALIZED.code());
  }

  /** Calls the native entry point with nothing but zeros. */
  private int call(String symbol) throws Throwable {
    FunctionDescriptor descriptor = entryPoints.descriptor(symbol);
    MethodHandle function =
        Linker.nativeLinker().downcallHandle(entryPoints.find(symbol).orElseThrow(), descriptor);
    Object[] zeros = descriptor.argumentLayouts().stream().map(EveryFunctionTest::zero).toArray();
    return (int) function.invokeWithArguments(Arrays.asList(zeros));
  }

  private static Object zero(MemoryLayout layout) {
    if (!(layout instanceof ValueLayout value)) {
      return Arena.ofAuto().allocate(layout);
    }
    Class<?> type = value.carrier();
    if (type == MemorySegment.class) {
      return MemorySegment.NULL;
    } else if (type == long.class) {
      return 0L;
    } else if (type == int.class) {
      return 0;
    }
    throw new AssertionError("no zero of " + type);
  }

  @Test
  void isFoundByNameAndVersion() throws Throwable {
    gpu.initialize();
    MethodHandle ask =
        Linker.nativeLinker()
            .downcallHandle(
                entryPoints.find("cuGetProcAddress_v2").orElseThrow(),
                entryPoints.descriptor("cuGetProcAddress_v2"));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pfn = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment status = arena.allocate(ValueLayout.JAVA_INT);
      for (DriverSymbol symbol : DriverSymbol.all().values()) {
        MemorySegment base = arena.allocateFrom(symbol.base());
        for (long flags = 0; flags <= 2; flags++) {
          assertThat((int) ask.invoke(base, pfn, symbol.version(), flags, status)).isZero();
          String exported = flags == 2 ? PerThreadCalls.variantOf(symbol) : symbol.exported();
          assertThat(pfn.get(ValueLayout.JAVA_LONG, 0))
              .as(symbol + " " + flags)
              .isEqualTo(entryPoints.find(exported).orElseThrow().address());
          assertThat(status.get(ValueLayout.JAVA_INT, 0)).isZero();
        }
        assertThat((int) ask.invoke(base, pfn, 1000, 0L, status)).isZero();
        assertThat(pfn.get(ValueLayout.JAVA_LONG, 0)).isZero();
        assertThat(status.get(ValueLayout.JAVA_INT, 0)).as("too old for " + symbol).isEqualTo(2);
      }
    }
  }
}
