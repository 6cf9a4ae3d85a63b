package dev.reprise.benchmarks.compare;

import dev.reprise.benchmarks.calls.FirstUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A new JVM up to a first use of the driver.
 *
 * @param use the arguments of {@link FirstUse}
 * @param cached with an AOT cache (JEP 483, 514 and 515) that a run of the same made before
 */
record StartArm(Operation operation, String name, List<String> use, boolean cached) implements Arm {

  @Override
  public String calls() {
    return "";
  }

  @Override
  public Run run(Plan plan) throws IOException, InterruptedException {
    List<String> options = new ArrayList<>();
    if (cached) {
      Path cache = plan.scratch().resolve(String.join("-", use) + ".aot");
      if (!Files.exists(cache)) {
        new Child(command(plan, List.of("-XX:AOTCacheOutput=" + cache)), use).output();
      }
      options.add("-XX:AOTCache=" + cache);
      // Without it a cache that does not fit would be passed over in silence.
      options.add("-XX:AOTMode=on");
    }
    double elapsed = new Child(command(plan, options), use).millisecondsToFirstByte();
    return new Run(new double[] {elapsed}, new double[0]);
  }

  private List<String> command(Plan plan, List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(plan.jvmOptions(operation.driver));
    command.addAll(options);
    // What the JVM has to say goes to standard output otherwise, before the byte that is waited
    // for.
    command.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(FirstUse.class.getName());
    return command;
  }
}
