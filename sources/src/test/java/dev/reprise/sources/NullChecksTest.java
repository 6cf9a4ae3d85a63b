package dev.reprise.sources;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Runs the compiler with the arguments of the parent POM over planted sources. */
class NullChecksTest {

  private static final Path ROOT = Path.of(System.getProperty("reprise.root"));

  @TempDir Path out;

  @Test
  void nullDereferencesBugPatternsAndOverflowsDoNotCompileAndNothingElseIsBlamed()
      throws Exception {
    Result result =
        compile(
            "compiler.checks",
            "NullDereference.java",
            "SelfComparison.java",
            "NarrowProduct.java",
            "CheckedDereference.java");
    assertThat(result.exit).isNotZero();
    assertThat(result.output)
        .contains("NullDereference.java:10: error: [NullAway]")
        .contains("error: [SelfComparison]")
        .contains("NarrowProduct.java:8: error: [NarrowCalculation]")
        .doesNotContain("CheckedDereference.java");
  }

  @Test
  void testsAreNotCheckedForNullsButForFaultsAndForAssertionsThatAssertNothing() throws Exception {
    Result result =
        compile(
            "compiler.checks.tests",
            "NullDereference.java",
            "SelfComparison.java",
            "NarrowProduct.java",
            "NothingAsserted.java");
    assertThat(result.exit).isNotZero();
    assertThat(result.output)
        .contains("error: [SelfComparison]")
        .contains("NarrowProduct.java:8: error: [NarrowCalculation]")
        .contains("NothingAsserted.java:10: error: [CheckReturnValue]")
        .doesNotContain("NullDereference.java");
  }

  private record Result(int exit, String output) {}

  /**
   * @param checks the property of the parent POM that says what is checked
   */
  private Result compile(String checks, String... files) throws Exception {
    Path planted = ROOT.resolve("sources/src/test/resources/planted");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
    command.addAll(compilerArguments(checks));
    String classPath = System.getProperty("java.class.path");
    command.addAll(List.of("-processorpath", classPath, "-classpath", classPath));
    command.addAll(List.of("-proc:none", "-d", out.toString()));
    for (String file : files) {
      command.add(planted.resolve(file).toString());
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Result(process.waitFor(), output);
  }

  /** The arguments that the build gives to the compiler, so that weakening them fails here. */
  private static List<String> compilerArguments(String checks) throws Exception {
    Document pom =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(ROOT.resolve("pom.xml").toFile());
    NodeList nodes = pom.getElementsByTagName("arg");
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      arguments.add(
          nodes
              .item(i)
              .getTextContent()
              .replace("${compiler.checks}", property(pom, checks))
              .replace("${compiler.faults}", property(pom, "compiler.faults")));
    }
    assertThat(arguments).anyMatch(argument -> argument.startsWith("-Xplugin:ErrorProne -Xep"));
    return arguments;
  }

  private static String property(Document pom, String name) {
    NodeList found = pom.getElementsByTagName(name);
    assertThat(found.getLength()).as(name).isEqualTo(1);
    return found.item(0).getTextContent();
  }

  @Test
  void everyPackageIsNullMarked() throws IOException {
    List<Path> packages =
        Sources.of(ROOT).stream()
            .filter(file -> file.toString().contains("/src/main/java/"))
            .filter(file -> !file.getFileName().toString().equals("module-info.java"))
            .map(Path::getParent)
            .distinct()
            .toList();
    assertThat(packages).isNotEmpty();
    for (Path folder : packages) {
      Path info = folder.resolve("package-info.java");
      assertThat(info).exists();
      assertThat(Files.readString(info)).as("%s", info).contains("@NullMarked");
    }
  }
}
