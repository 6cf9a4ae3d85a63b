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

  private record Result(int exit, String output) {}

  private Result compile(String... files) throws Exception {
    Path planted = ROOT.resolve("sources/src/test/resources/planted");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
    command.addAll(compilerArguments());
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
  private static List<String> compilerArguments() throws Exception {
    NodeList nodes =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(ROOT.resolve("pom.xml").toFile())
            .getElementsByTagName("arg");
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      arguments.add(nodes.item(i).getTextContent());
    }
    assertThat(arguments).anyMatch(argument -> argument.contains("NullAway:ERROR"));
    return arguments;
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
