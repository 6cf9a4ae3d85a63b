package dev.reprise.cuda.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.DriverSymbol;
import dev.reprise.cuda.Device;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The documentation of a method names a function of the driver's that the method really calls, so
 * that a reader finds it in NVIDIA's manual; and it names none that is not there.
 */
final class DriverFunctionDocumentationTest {

  private static final Path API = Path.of("src", "main", "java", "dev", "reprise", "cuda");

  /** Made for each call, or to learn when something can be released. */
  private static final Set<String> HOUSEKEEPING = Set.of("cuCtxSetCurrent", "cuInit");

  private static final Pattern FUNCTION = Pattern.compile("\\bcu[A-Z]\\w+");

  private static final Pattern REFERENCE = Pattern.compile("\\{@link #(\\w+)");

  /** The documentation of the public methods of a class by name, overloads together. */
  private static Map<String, String> documentation(String source) {
    Pattern method =
        Pattern.compile(
            "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@\\w+(?:\\([^)]*\\))?\\s+)*public [^;{=(]*?(\\w+)\\(",
            Pattern.DOTALL);
    return method
        .matcher(source)
        .results()
        .collect(
            Collectors.toMap(match -> match.group(2), match -> match.group(1), String::concat));
  }

  /** The same, of a type and of those that it has methods from. */
  private static Map<String, String> documentation(Class<?> type) throws IOException {
    Map<String, String> all = new TreeMap<>();
    for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
      Path file = API.resolve(each.getSimpleName() + ".java");
      documentation(Files.readString(file))
          .forEach((name, text) -> all.merge(name, text, String::concat));
    }
    return all;
  }

  /**
   * Whether the documentation of a method, or of one that it refers to, names one of the functions.
   */
  private static boolean names(
      Map<String, String> documentation, String method, Collection<String> functions) {
    String text = documentation.getOrDefault(method, "");
    List<String> texts = new ArrayList<>(List.of(text));
    REFERENCE
        .matcher(text)
        .results()
        .forEach(match -> texts.add(documentation.getOrDefault(match.group(1), "")));
    return texts.stream()
        .flatMap(each -> FUNCTION.matcher(each).results())
        .map(MatchResult::group)
        .anyMatch(functions::contains);
  }

  private static String base(String exported) {
    DriverSymbol symbol = DriverSymbol.all().get(exported);
    return symbol == null ? exported : symbol.base();
  }

  private static Set<String> functionsOf(Operation operation) {
    return Faults.callsOf(operation).stream()
        .map(DriverFunctionDocumentationTest::base)
        .filter(function -> !HOUSEKEEPING.contains(function))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyOperationNamesAFunctionThatItCalls() throws Exception {
    Map<String, Set<String>> missing = new TreeMap<>();
    int checked = 0;
    for (Operation operation : OperationFaultTest.operations().toList()) {
      String[] parts = operation.name().split("[ .]");
      Class<?> type = Class.forName(Device.class.getPackageName() + "." + parts[0]);
      if (hasMethod(type, parts[1])) {
        Set<String> functions = functionsOf(operation);
        checked++;
        if (!functions.isEmpty() && !names(documentation(type), parts[1], functions)) {
          missing.put(operation.name(), functions);
        }
      }
    }
    assertThat(checked).isGreaterThan(100);
    assertThat(missing).isEmpty();
  }

  private static boolean hasMethod(Class<?> type, String name) {
    return Arrays.stream(type.getMethods()).map(Method::getName).anyMatch(name::equals);
  }

  @Test
  void noFunctionIsNamedThatTheDriverHasNot() throws IOException {
    Set<String> known =
        DriverSymbol.all().values().stream()
            .flatMap(symbol -> Stream.of(symbol.base(), symbol.exported()))
            .collect(Collectors.toSet());
    TreeSet<String> unknown = new TreeSet<>();
    try (Stream<Path> files = Files.walk(API)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        Pattern.compile("/\\*\\*(?:(?!\\*/).)*\\*/", Pattern.DOTALL)
            .matcher(Files.readString(file))
            .results()
            .flatMap(comment -> FUNCTION.matcher(comment.group()).results())
            .map(MatchResult::group)
            .filter(function -> !known.contains(function))
            .forEach(function -> unknown.add(file.getFileName() + ": " + function));
      }
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void theCheckSeesWhatIsMissing() {
    Map<String, String> documentation =
        documentation(
            """
            /** Waits ({@code cuStreamSynchronize}). */
            public void await() {}
            /** As {@link #await}, twice. */
            @Override
            public void awaitTwice(int a,
                int b) {}
            /** Does something ({@code cuStreamQuery}). */
            public boolean other() {}
            public void undocumented() {}
            """);
    List<String> functions = List.of("cuStreamSynchronize");
    assertThat(names(documentation, "await", functions)).isTrue();
    assertThat(names(documentation, "awaitTwice", functions)).isTrue();
    assertThat(names(documentation, "other", functions)).isFalse();
    assertThat(names(documentation, "undocumented", functions)).isFalse();
  }
}
