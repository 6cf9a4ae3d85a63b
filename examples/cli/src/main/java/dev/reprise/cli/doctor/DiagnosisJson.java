package dev.reprise.cli.doctor;

import dev.reprise.bindings.CudaVersion;
import dev.reprise.bindings.DriverLibrary.Attempt;
import dev.reprise.cli.doctor.DriverFacts.InitFailure;
import dev.reprise.cli.doctor.DriverFacts.Library;
import dev.reprise.cli.doctor.EntryPointFacts.Missing;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A diagnosis as one JSON object, for programs. Names stay; what is not known is null. */
public final class DiagnosisJson {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private DiagnosisJson() {}

  /** One line. */
  public static String line(Diagnosis diagnosis) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("can_run", diagnosis.canRun());
    java(json.putObject("java"), diagnosis.java());
    host(json.putObject("host"), diagnosis.host());
    nativeAccess(json.putObject("native_access"), diagnosis.nativeAccess());
    driver(json.putObject("driver"), diagnosis.driver());
    ArrayNode devices = json.putArray("devices");
    diagnosis.devices().forEach(device -> device(devices.addObject(), device));
    ArrayNode settings = json.putArray("settings");
    for (SettingFact setting : diagnosis.settings()) {
      settings
          .addObject()
          .put("name", setting.name())
          .put("value", setting.value())
          .put("origin", setting.origin());
    }
    ArrayNode problems = json.putArray("problems");
    for (Problem problem : diagnosis.problems()) {
      problems
          .addObject()
          .put("severity", lower(problem.severity()))
          .put("what", problem.what())
          .put("fix", problem.fix());
    }
    return MAPPER.writeValueAsString(json);
  }

  private static void java(ObjectNode json, JavaFacts java) {
    json.put("version", java.version())
        .put("feature", java.feature())
        .put("new_enough", java.newEnough())
        .put("vendor", java.vendor())
        .put("home", java.home())
        .put("heap_max_bytes", java.heapMaxBytes())
        .put("heap_used_bytes", java.heapUsedBytes());
  }

  private static void host(ObjectNode json, HostFacts host) {
    json.put("os", host.os())
        .put("arch", host.arch())
        .put("processors", host.processors())
        .put("memory_bytes", host.memoryBytes())
        .put("memory_free_bytes", host.memoryFreeBytes());
    NvidiaSigns nvidia = host.nvidia();
    ObjectNode signs =
        json.putObject("nvidia")
            .put("kernel_module", nvidia.kernelModule())
            .put("container", nvidia.container())
            .put("cuda_visible_devices", nvidia.visibleDevices());
    ArrayNode nodes = signs.putArray("device_nodes");
    nvidia.deviceNodes().forEach(nodes::add);
  }

  private static void nativeAccess(ObjectNode json, NativeAccessFacts facts) {
    ObjectNode modules = json.putObject("enabled");
    facts.enabled().forEach((module, enabled) -> modules.put(module, enabled.booleanValue()));
    json.put("flag", facts.flag());
  }

  private static void driver(ObjectNode json, DriverFacts driver) {
    json.put("choice", driver.choice()).put("origin", lower(driver.origin()));
    ArrayNode attempts = json.putArray("attempts");
    for (Attempt attempt : driver.attempts()) {
      attempts
          .addObject()
          .put("what", attempt.what())
          .put("outcome", lower(attempt.outcome()))
          .put("init_result", attempt.initResult())
          .put("failure", attempt.failure());
    }
    Library library = driver.library();
    if (library == null) {
      json.putNull("library");
    } else {
      library(json.putObject("library"), library);
    }
    json.put("failure", driver.failure());
    InitFailure init = driver.initFailure();
    if (init == null) {
      json.putNull("init_failure");
    } else {
      json.putObject("init_failure").put("code", init.code()).put("text", init.text());
    }
  }

  private static void library(ObjectNode json, Library library) {
    json.put("name", library.name()).put("kind", lower(library.kind()));
    version(json, "cuda_version", library.version());
    EntryPointFacts entryPoints = library.entryPoints();
    json.put("functions", entryPoints.total()).put("functions_found", entryPoints.found());
    ArrayNode missing = json.putArray("functions_missing");
    for (Missing function : entryPoints.missing()) {
      ObjectNode entry = missing.addObject().put("function", function.function());
      version(entry, "needs_cuda", function.version());
      entry.put("newer_than_driver", function.newer());
    }
  }

  private static void device(ObjectNode json, DeviceFacts device) {
    json.put("ordinal", device.ordinal()).put("usable", device.usable());
    for (DeviceProperty property : DeviceProperty.values()) {
      put(json, property.key(), device.properties().get(property));
    }
    ObjectNode failures = json.putObject("property_failures");
    device.failures().forEach((property, failure) -> failures.put(property.key(), failure));
    json.put("open_failure", device.openFailure()).put("trial_failure", device.trialFailure());
  }

  private static void put(ObjectNode json, String name, @Nullable Object value) {
    switch (value) {
      case null -> json.putNull(name);
      case Boolean flag -> json.put(name, flag);
      case Integer number -> json.put(name, number);
      case Long number -> json.put(name, number);
      default -> json.put(name, value.toString());
    }
  }

  private static void version(ObjectNode json, String name, int version) {
    if (version == 0) {
      json.putNull(name);
    } else {
      json.put(name, CudaVersion.text(version));
    }
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
