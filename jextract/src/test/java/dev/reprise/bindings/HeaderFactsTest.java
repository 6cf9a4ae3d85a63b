package dev.reprise.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.reprise.bindings.cuda.cuda_h;
import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.UnionLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The committed bindings beside the list that they are made by, and beside the header itself, as
 * the C compiler of the system reads it. What needs the header is skipped where it is not there:
 * {@code cuda.h} 13.0 in {@code CUDA_HOME}, else in {@code /usr/local/cuda-13.0}.
 */
class HeaderFactsTest {

  private static final Path MODULE = Path.of("").toAbsolutePath();
  private static final Path GENERATED =
      MODULE.resolve("src/generated/java/dev/reprise/bindings/cuda");

  /** What a struct is called in C, in the documentation of its class. */
  private static final Pattern DECLARATION =
      Pattern.compile("\\{@snippet lang=c :\\s+\\* (struct|union) (\\w+) \\{");

  /** Structs with {@code _Alignas}, which jextract leaves out; the README says what to do. */
  private static final Set<String> ALIGNED_BY_ATTRIBUTE = Set.of("CUtensorMap_st");

  /** The names that are taken from the header, of one kind. */
  private static TreeSet<String> listed(String kind) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    for (String line : Files.readAllLines(MODULE.resolve("symbols.txt"))) {
      if (line.startsWith("--include-" + kind + " ")) {
        names.add(line.substring(line.indexOf(' ') + 1).strip());
      }
    }
    assertThat(names).isNotEmpty();
    return names;
  }

  private static TreeSet<String> staticMethods(String suffix) {
    TreeSet<String> names = new TreeSet<>();
    Arrays.stream(cuda_h.class.getMethods())
        .filter(method -> Modifier.isStatic(method.getModifiers()))
        .map(Method::getName)
        .filter(name -> name.endsWith(suffix))
        .forEach(name -> names.add(name.substring(0, name.length() - suffix.length())));
    return names;
  }

  @Test
  void everyFunctionOfTheListIsGeneratedAndHasItsVersion() throws IOException {
    assertThat(staticMethods("$handle")).isEqualTo(listed("function"));
    assertThat(new TreeSet<>(DriverSymbol.all().keySet())).isEqualTo(listed("function"));
  }

  @Test
  void everyStructOfTheListIsGeneratedUnlessOnlyPointersToItExist() throws IOException {
    TreeSet<String> structs = listed("struct");
    structs.addAll(listed("union"));
    assertThat(layouts()).hasSizeGreaterThan(75);
    assertThat(structs).containsAll(layouts().keySet());
    structs.removeAll(layouts().keySet());
    // What the driver hands out as a handle has no members in the header.
    assertThat(structs).contains("CUctx_st", "CUstream_st").hasSize(25);
  }

  /** The layout of each struct and union, by class. */
  private static Map<String, GroupLayout> layouts() throws IOException {
    Map<String, GroupLayout> layouts = new TreeMap<>();
    try (var files = Files.list(GENERATED)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        if (DECLARATION.matcher(Files.readString(file)).find()) {
          layouts.put(name, layout("dev.reprise.bindings.cuda." + name));
        }
      }
    }
    return layouts;
  }

  private static GroupLayout layout(String type) {
    try {
      return (GroupLayout) Class.forName(type).getMethod("layout").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(type, e);
    }
  }

  /** What C says, one line for each expression. */
  private static List<Long> ask(Path folder, List<String> expressions)
      throws IOException, InterruptedException {
    String home = Optional.ofNullable(System.getenv("CUDA_HOME")).orElse("/usr/local/cuda-13.0");
    Path include = Path.of(home, "include");
    assumeThat(include.resolve("cuda.h")).as("the header of CUDA").isRegularFile();
    assumeThat(Files.readString(include.resolve("cuda.h")))
        .as("the version of %s", include)
        .contains("#define CUDA_VERSION 13000");
    StringBuilder program =
        new StringBuilder(
            """
            #define __CUDA_API_VERSION_INTERNAL
            #include <stddef.h>
            #include <stdio.h>
            #include <cuda.h>
            #include <cudaProfiler.h>
            int main(void) {
            """);
    for (String expression : expressions) {
      program.append("printf(\"%lld\\n\", (long long) (").append(expression).append("));\n");
    }
    Path source = Files.writeString(folder.resolve("facts.c"), program.append("return 0; }\n"));
    Path binary = folder.resolve("facts");
    Process compiler;
    try {
      compiler =
          new ProcessBuilder("cc", "-I", include.toString(), "-o", binary.toString(), source + "")
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      assumeThat(false).as("a C compiler, cc: %s", e).isTrue();
      throw e;
    }
    String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(compiler.waitFor()).as(said).isZero();
    Process run = new ProcessBuilder(binary.toString()).start();
    String out = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(run.waitFor()).isZero();
    List<Long> numbers = out.lines().map(Long::valueOf).toList();
    assertThat(numbers).hasSameSizeAs(expressions);
    return numbers;
  }

  @Test
  void layoutsAreThoseOfTheHeader(@TempDir Path folder) throws IOException, InterruptedException {
    List<String> expressions = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    for (var entry : layouts().entrySet()) {
      Matcher declared =
          DECLARATION.matcher(Files.readString(GENERATED.resolve(entry.getKey() + ".java")));
      assertThat(declared.find()).isTrue();
      String type = declared.group(1) + " " + declared.group(2);
      expressions.add("sizeof(" + type + ")");
      expected.add(entry.getValue().byteSize());
      if (!ALIGNED_BY_ATTRIBUTE.contains(entry.getKey())) {
        expressions.add("_Alignof(" + type + ")");
        expected.add(entry.getValue().byteAlignment());
      }
      members(type, "", entry.getValue(), 0, expressions, expected);
    }
    assertThat(expressions).hasSizeGreaterThan(1500);
    List<Long> actual = ask(folder, expressions);
    for (int i = 0; i < expressions.size(); i++) {
      assertThat(expected.get(i)).as(expressions.get(i)).isEqualTo(actual.get(i));
    }
  }

  /** Asks where each named member is and how large, those of members included. */
  private static void members(
      String type,
      String path,
      GroupLayout group,
      long base,
      List<String> expressions,
      List<Long> expected) {
    long offset = base;
    for (MemoryLayout member : group.memberLayouts()) {
      boolean union = group instanceof UnionLayout;
      if (!(member instanceof PaddingLayout) && member.name().isPresent()) {
        String name = member.name().get();
        // Members without a name in C have one that jextract makes up.
        if (!name.contains("$")) {
          String full = path + name;
          expressions.add("offsetof(%s, %s)".formatted(type, full));
          expected.add(offset);
          expressions.add("sizeof(((%s *) 0)->%s)".formatted(type, full));
          expected.add(member.byteSize());
          if (member instanceof GroupLayout inner) {
            members(type, full + ".", inner, offset, expressions, expected);
          }
        } else if (member instanceof GroupLayout inner) {
          members(type, path, inner, offset, expressions, expected);
        }
      }
      offset += union ? 0 : member.byteSize();
    }
  }

  @Test
  void constantsAreThoseOfTheHeader(@TempDir Path folder)
      throws IOException, InterruptedException, ReflectiveOperationException {
    List<String> names = List.copyOf(listed("constant"));
    List<Long> actual = ask(folder, names);
    for (int i = 0; i < names.size(); i++) {
      Method getter = cuda_h.class.getMethod(names.get(i));
      // It may be declared by a class behind cuda_h that is not public.
      getter.setAccessible(true);
      Object value = getter.invoke(null);
      long generated =
          value instanceof MemorySegment pointer ? pointer.address() : ((Number) value).longValue();
      // An unsigned number of 32 bits is an int of the same bits in Java.
      long wanted = value instanceof Integer ? actual.get(i).intValue() : actual.get(i);
      assertThat(generated).as(names.get(i)).isEqualTo(wanted);
    }
  }
}
