package dev.reprise.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * {@code reprise doctor} in a process of its own, where the driver has not been chosen and crashes
 * are seen.
 */
final class ForkedDoctor {
  static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

  private ForkedDoctor() {}

  /**
   * @param folder an empty folder to run in
   * @param jvm options of Java
   * @param environment variables over those of this process
   */
  static CommandRun run(
      Path folder, List<String> jvm, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    // It lives for a second or two: the second compiler would only be in the way.
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:ErrorFile=" + folder.resolve("hs_err.log"));
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(Main.class.getName());
    command.add("doctor");
    command.addAll(Arrays.asList(arguments));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("REPRISE_"));
    builder.environment().remove("CUDA_VISIBLE_DEVICES");
    builder.environment().putAll(environment);
    int code = builder.start().waitFor();
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> unexpected = files.filter(file -> !file.equals(out) && !file.equals(err)).toList();
      if (!unexpected.isEmpty()) {
        throw new AssertionError("the JVM left " + unexpected + ": " + Files.readString(err));
      }
    }
    return new CommandRun(
        code,
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
