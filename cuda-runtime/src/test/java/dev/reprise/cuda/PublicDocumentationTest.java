package dev.reprise.cuda;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the documentation of every public class must say, read from the sources. */
final class PublicDocumentationTest {

  private static final Path MAIN = Path.of("src", "main", "java");
  private static final Path TEST = Path.of("src", "test", "java");
  private static final Path API = MAIN.resolve("dev/reprise/cuda");

  /** The Javadoc of a public type, with what stands between it and the name. */
  private static final Pattern TYPE =
      Pattern.compile(
          "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*((?:@\\w+(?:\\([^)]*\\))?\\s+)*)public ((?:abstract"
              + " |final |sealed )*)(class|interface|record|enum|@interface) (\\w+)",
          Pattern.DOTALL);

  private static final Pattern SNIPPET =
      Pattern.compile("\\{@snippet class=\"([\\w.]+)\" region=\"([\\w-]+)\"}");

  /** Public types that stand for nothing of the driver's, and why. */
  private static final Map<String, String> OF_THE_RUNTIME =
      Map.of(
          "CaptureBody", "the program's own code",
          "LiveResources", "counts of the runtime's objects");

  /** A public type and its documentation on one line. */
  private record Type(String name, String kind, String documentation) {

    /** Values that are plain data, and what is thrown, have no rules of their own. */
    boolean isData() {
      return kind.equals("enum") || kind.equals("record") || name.endsWith("Exception");
    }

    boolean isImmutable() {
      return documentation.contains("Immutable");
    }
  }

  private static List<Type> types() throws IOException {
    List<Type> types = new ArrayList<>();
    try (var files = Files.list(API)) {
      for (Path file : files.sorted().toList()) {
        String source = file.toString().endsWith(".java") ? Files.readString(file) : "";
        Matcher matcher = TYPE.matcher(source);
        if (matcher.find()) {
          String text = matcher.group(1).replaceAll("\\s*\\n\\s*\\*\\s*", " ");
          types.add(new Type(matcher.group(5), matcher.group(4), text));
        }
      }
    }
    return types;
  }

  private static List<Type> ruled() throws IOException {
    return types().stream()
        .filter(type -> !type.isData() && !OF_THE_RUNTIME.containsKey(type.name()))
        .toList();
  }

  @Test
  void everyPublicTypeHasDocumentation() throws IOException {
    TreeSet<String> documented =
        types().stream().map(Type::name).collect(toCollection(TreeSet::new));
    assertThat(documented).hasSizeGreaterThan(50);
    TreeSet<String> all = new TreeSet<>();
    try (var files = Files.list(API)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        if (Pattern.compile("^public .*\\b" + name + "\\b", Pattern.MULTILINE)
            .matcher(Files.readString(file))
            .find()) {
          all.add(name);
        }
      }
    }
    assertThat(documented).isEqualTo(all);
    assertThat(documented).containsAll(OF_THE_RUNTIME.keySet());
  }

  private static final Pattern METHOD =
      Pattern.compile("^ {2,4}public (?!.*\\b(?:class|interface|record|enum) )[^=;]*\\(.*");

  /** The public methods of a source that have no documentation; what overrides inherits it. */
  private static List<String> undocumented(String source) {
    List<String> lines = source.lines().toList();
    List<String> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (METHOD.matcher(lines.get(i)).matches()) {
        int above = i - 1;
        boolean overrides = false;
        while (lines.get(above).strip().startsWith("@")) {
          overrides |= lines.get(above).strip().equals("@Override");
          above--;
        }
        if (!overrides && !lines.get(above).strip().endsWith("*/")) {
          found.add(lines.get(i).strip());
        }
      }
    }
    return found;
  }

  @Test
  void everyPublicMethodHasDocumentation() throws IOException {
    Map<String, List<String>> missing = new TreeMap<>();
    int files = 0;
    for (Path folder : List.of(API, API.resolve("diagnostics"))) {
      try (var all = Files.list(folder)) {
        for (Path file : all.filter(each -> each.toString().endsWith(".java")).toList()) {
          files++;
          List<String> found = undocumented(Files.readString(file));
          if (!found.isEmpty()) {
            missing.put(file.getFileName().toString(), found);
          }
        }
      }
    }
    assertThat(files).isGreaterThan(100);
    assertThat(missing).isEmpty();
  }

  @Test
  void aMethodWithoutDocumentationIsFound() {
    assertThat(
            undocumented(
                """
                /** A type. */
                public final class Type {
                  /** Does this. */
                  public void documented() {}

                  public void undocumented(int a) {}

                  @Override
                  public String toString() {
                    return "";
                  }

                  @SafeVarargs
                  public static <T> List<T> annotated(
                      T... all) {}
                }
                """))
        .containsExactly(
            "public void undocumented(int a) {}", "public static <T> List<T> annotated(");
  }

  @Test
  void everyTypeOfTheDriversNamesTheSectionOfItsManual() throws IOException {
    assertThat(ruled())
        .hasSizeGreaterThan(30)
        .allSatisfy(type ->
            assertThat(type.documentation())
                .as(type.name())
                .containsPattern("CUDA Driver API, \"[A-Z][\\w -]+\""));
  }

  @Test
  void everyTypeStatesItsRulesForThreadsAndCaptures() throws IOException {
    Map<String, String> missing = new TreeMap<>();
    for (Type type : ruled()) {
      boolean inherits = type.name().endsWith("Node") && !type.name().equals("GraphNode");
      if (!type.isImmutable() && !inherits && !type.kind().equals("interface")) {
        for (String rule : List.of("<b>Threads:</b>", "<b>Capture:</b>")) {
          if (!type.documentation().contains(rule)) {
            missing.merge(type.name(), rule, String::concat);
          }
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyExportedPackageShowsAProgramThatIsCompiled() throws IOException {
    List<String> exported =
        Pattern.compile("exports ([\\w.]+);")
            .matcher(Files.readString(MAIN.resolve("module-info.java")))
            .results()
            .map(result -> result.group(1))
            .toList();
    assertThat(exported).isNotEmpty();
    for (String name : exported) {
      String page =
          Files.readString(MAIN.resolve(name.replace('.', '/')).resolve("package-info.java"));
      Matcher snippet = SNIPPET.matcher(page);
      assertThat(snippet.find()).as("a snippet of %s", name).isTrue();
      assertThat(page).as("snippets that nothing compiles").doesNotContain("@snippet lang");
      Path file = TEST.resolve(snippet.group(1).replace('.', '/') + ".java");
      assertThat(Files.readString(file))
          .contains("// @start region=\"" + snippet.group(2) + "\"", "// @end");
    }
  }
}
