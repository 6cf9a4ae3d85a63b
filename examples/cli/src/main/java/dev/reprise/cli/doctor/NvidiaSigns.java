package dev.reprise.cli.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Signs of an NVIDIA device in the system, for telling why a driver library sees none.
 *
 * <p>{@code /dev/nvidiactl} is no sign: the driver library itself makes it when it may.
 *
 * @param linux whether the signs below can be read at all
 * @param kernelModule whether NVIDIA's kernel module is loaded
 * @param deviceNodes the nodes of devices, such as {@code /dev/nvidia0}
 * @param windowsSubsystem whether this is Linux under Windows, where devices have no such nodes
 * @param container whether this process runs in a container
 * @param visibleDevices the environment variable {@code CUDA_VISIBLE_DEVICES}; null if not set
 */
record NvidiaSigns(
    boolean linux,
    boolean kernelModule,
    List<String> deviceNodes,
    boolean windowsSubsystem,
    boolean container,
    @Nullable String visibleDevices) {

  static final String VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES";

  static NvidiaSigns collect() {
    boolean linux = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux");
    return collect(linux, Path.of("/"), System.getenv());
  }

  static NvidiaSigns collect(boolean linux, Path root, Map<String, String> environment) {
    return new NvidiaSigns(
        linux,
        Files.exists(root.resolve("proc/driver/nvidia/version")),
        deviceNodes(root.resolve("dev")),
        Files.exists(root.resolve("dev/dxg")),
        Files.exists(root.resolve(".dockerenv"))
            || Files.exists(root.resolve("run/.containerenv"))
            || environment.containsKey("KUBERNETES_SERVICE_HOST"),
        environment.get(VISIBLE_DEVICES));
  }

  private static List<String> deviceNodes(Path folder) {
    List<String> nodes = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "nvidia[0-9]*")) {
      found.forEach(node -> nodes.add("/dev/" + node.getFileName()));
    } catch (IOException e) {
      // No folder that can be read, no nodes in it: as on Windows.
      return List.of();
    }
    nodes.sort(null);
    return List.copyOf(nodes);
  }

  /** Whether the machine has a device, as far as the system tells. */
  boolean hasDevice() {
    return windowsSubsystem || (kernelModule && !deviceNodes.isEmpty());
  }

  /** Why a driver library sees no device, where a sign tells. */
  Optional<String> whyNoDevice() {
    if (hidesAll()) {
      return Optional.of(VISIBLE_DEVICES + "=\"" + visibleDevices + "\" hides them all");
    }
    if (!linux || windowsSubsystem) {
      return Optional.empty();
    }
    if (!kernelModule) {
      return Optional.of("NVIDIA's kernel module is not loaded");
    }
    if (deviceNodes.isEmpty()) {
      return Optional.of(
          container
              ? "the kernel module is loaded, but this container was given no device"
              : "the kernel module is loaded, but there is no /dev/nvidia0");
    }
    return Optional.empty();
  }

  /** The driver stops at the first entry that is no device (CUDA C++ Programming Guide). */
  boolean hidesAll() {
    return visibleDevices != null
        && !visibleDevices.strip().matches("(?s)([0-9]+|GPU-.*|MIG-.*)(,.*)?");
  }
}
