package dev.reprise.cli.doctor;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * One thing that the software GPU can be told, by a system property or an environment variable of
 * the same name; the property goes first.
 *
 * @param name of the property and the variable
 * @param meaning what it says, with what holds where it is not set
 * @param value its value; null where it is not set
 * @param origin {@code property} or {@code environment}; null where it is not set
 */
record SettingFact(String name, String meaning, @Nullable String value, @Nullable String origin) {

  private static final List<SettingFact> KNOWN =
      List.of(
          new SettingFact("REPRISE_SOFTGPU_DEVICES", "how many devices, else 1", null, null),
          new SettingFact(
              "REPRISE_SOFTGPU_MEMORY", "bytes of device memory, else 4 GiB", null, null),
          new SettingFact(
              "REPRISE_SOFTGPU_WORKERS",
              "threads that run blocks, else one a processor",
              null,
              null),
          new SettingFact(
              "REPRISE_SOFTGPU_EXECUTION", "adaptive or interpreted, else adaptive", null, null),
          new SettingFact(
              "REPRISE_SOFTGPU_FAULTS", "calls that fail on purpose, else none", null, null),
          new SettingFact(
              "REPRISE_SANITIZE", "mistakes that are looked for, else faults", null, null),
          new SettingFact(
              "REPRISE_SOFTGPU_SIMULATION",
              "a seed that decides the order of work, else none",
              null,
              null),
          new SettingFact(
              "REPRISE_SOFTGPU_RULES",
              "answers to rules that CUDA leaves open, else the first ones",
              null,
              null),
          new SettingFact(
              "REPRISE_SOFTGPU_PROFILE", "a file for what kernels did, else none", null, null));

  static List<SettingFact> collect() {
    return collect(System.getProperties(), System.getenv());
  }

  static List<SettingFact> collect(Properties properties, Map<String, String> environment) {
    return KNOWN.stream().map(known -> known.read(properties, environment)).toList();
  }

  private SettingFact read(Properties properties, Map<String, String> environment) {
    String property = properties.getProperty(name);
    if (property != null) {
      return new SettingFact(name, meaning, property, "property");
    }
    String variable = environment.get(name);
    return variable == null ? this : new SettingFact(name, meaning, variable, "environment");
  }
}
